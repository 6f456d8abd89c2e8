"""Draw the plots of the README and the docs; needs the extra ``docs``.

    joeira evaluate SETS --methods learned,peer:trafilatura,... --json report.json
    python docs/pictures/draw.py speed report.json    # keeps its figures in speed.json
    python docs/pictures/draw.py                      # the others, from the card of the model

Plots are SVG whose colours are read on light and on dark ground. The picture of the viewer is made
by another script.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
CARD = HERE.parents[1] / "src" / "joeira" / "models" / "content.json"
GREY, OURS, OTHERS = "#808080", "#c2571a", "#3d7ea6"
NAMES = {
    "learned": "joeira",
    "peer:trafilatura": "trafilatura",
    "peer:resiliparse": "Resiliparse",
    "peer:readability": "readability-lxml",
    "peer:justext": "jusText",
    "peer:newspaper4k": "newspaper4k",
}

mpl.rcParams.update(
    {
        "svg.hashsalt": "joeira",  # the same bytes in every run
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 11,
        "savefig.transparent": True,
        **dict.fromkeys(
            ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], GREY
        ),
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
)


def save(name: str) -> None:
    """Write the plot, without the day it was made on."""
    plt.savefig(HERE / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close()


def mean_scores(report: Path) -> dict[str, dict[str, float]]:
    """Return the mean F1 over data sets and the CPU milliseconds per page of each method."""
    data_sets = json.loads(report.read_text("utf-8"))["data_sets"]
    pages = sum(each["pages"] for each in data_sets)
    scores = {}
    for name in data_sets[0]["methods"]:
        of_sets = [(data_set["pages"], data_set["methods"][name]) for data_set in data_sets]
        f1 = sum(scored["words"]["f1"] for _, scored in of_sets) / len(of_sets)
        milliseconds = sum(count * scored["cpu_ms"] for count, scored in of_sets) / pages
        scores[name] = {"f1": round(f1, 4), "ms": round(milliseconds, 2)}
    return scores


def draw_speed() -> None:
    """Draw F1 against milliseconds per page."""
    points: dict[str, dict[str, float]] = json.loads((HERE / "speed.json").read_text("utf-8"))
    _, axes = plt.subplots(figsize=(7, 3.6))
    for name, point in points.items():
        colour = OURS if name == "learned" else OTHERS
        axes.scatter(point["ms"], point["f1"], s=60, color=colour)
        axes.annotate(
            NAMES.get(name, name),
            (point["ms"], point["f1"]),
            (8, 4),
            textcoords="offset points",
            color=colour,
        )
    axes.set(xscale="log", xlabel="CPU milliseconds per page (log)", ylabel="mean word F1")
    axes.margins(x=0.2, y=0.15)
    axes.set_xticks([1, 3, 10, 30, 100, 300], labels=["1", "3", "10", "30", "100", "300"])
    axes.minorticks_off()
    save("speed")


def draw_reliability(card: dict[str, Any]) -> None:
    """Draw how often words are content, against how likely the model says that they are."""
    _, axes = plt.subplots(figsize=(4, 4))
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=":")
    predicted = [row["predicted"] for row in card["reliability"]]
    axes.plot(predicted, [row["true"] for row in card["reliability"]], "o-", color=OURS)
    axes.set(xlabel="probability", ylabel="share that is content", xlim=(0, 1), ylim=(0, 1))
    save("reliability")


def draw_types(card: dict[str, Any]) -> None:
    """Draw F1 out of fold by page type, of readers and of WCXB."""
    golds = {"gold-dev": ("by readers", OURS), "wcxb-dev": ("by WCXB", OTHERS)}
    types = [name for name in card["out_of_fold"]["wcxb-dev"] if name != "all"]
    types.sort(key=lambda name: card["out_of_fold"]["gold-dev"][name])
    _, axes = plt.subplots(figsize=(7, 3.4))
    for number, (gold, (label, colour)) in enumerate(golds.items()):
        places = [place + 0.38 * number for place in range(len(types))]
        values = [card["out_of_fold"][gold][name] for name in types]
        axes.barh(places, values, 0.36, color=colour, label=label)
    axes.set_yticks([place + 0.19 for place in range(len(types))], labels=types)
    axes.set(xlabel="word F1, out of fold", xlim=(0.5, 1))
    axes.legend(frameon=False, loc="lower right", labelcolor=GREY)
    save("types")


def main(arguments: list[str]) -> None:
    """Draw what is asked for."""
    if arguments[:1] == ["speed"]:
        if arguments[1:]:
            figures = mean_scores(Path(arguments[1]))
            (HERE / "speed.json").write_text(f"{json.dumps(figures, indent=1)}\n", "utf-8")
        draw_speed()
        return
    card = json.loads(CARD.read_text("utf-8"))
    draw_reliability(card)
    draw_types(card)


if __name__ == "__main__":
    main(sys.argv[1:])
