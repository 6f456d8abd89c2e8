"""Draw the plots of the README and the docs; needs the extra ``docs``.

    joeira evaluate SETS --methods learned,peer:trafilatura,... --json report.json
    python docs/pictures/draw.py speed report.json    # keeps its figures in speed.json
    python benchmarks/xcex_grid.py --pages 20 --slow-pages 6 --json docs/pictures/xcex.json
    python docs/pictures/draw.py                      # the others: from the card of the model,
                                                      # from xcex.json, and from an example page

Plots are SVG whose colours are read on light and on dark ground. The picture of the viewer is made
by another script.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

import joeira
from joeira.page.tag_paths import TagPathFilter, tag_path_sequence

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CARD = ROOT / "src" / "joeira" / "models" / "content.json"
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


def draw_xcex() -> None:
    """Draw recall and F of X-CEX over its two parameters, ours and those of the thesis."""
    means = json.loads((HERE / "xcex.json").read_text("utf-8"))
    weights = {50: "content_weight_50", 55: "content_weight_55", 60: "content_weight_60",
               70: "xcex", 75: "content_weight_75", 80: "content_weight_80"}  # fmt: skip
    limits = {15: "ibdf_limit_15", 20: "xcex", 25: "ibdf_limit_25", 30: "ibdf_limit_30",
              35: "ibdf_limit_35"}  # fmt: skip
    panels = {"weight of the text, %": weights, "page limit, %": limits}
    _, both = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    for axes, (label, names) in zip(both, panels.items(), strict=True):
        for place, colour in (("here", OURS), ("thesis", OTHERS)):
            for number, (measure, line) in enumerate((("recall", "o:"), ("F", "o-")), 1):
                values = [means[place][name][number] for name in names.values()]
                axes.plot(list(names), values, line, color=colour, label=f"{measure}, {place}")
        axes.set(xlabel=label, xticks=list(names), ylim=(0.2, 1))
    both[1].legend(frameon=False, loc="lower right", labelcolor=GREY)
    save("xcex")


def draw_tag_paths() -> None:
    """Draw the tag path sequence of an example page, and the region that the filter finds."""
    page = joeira.parse((ROOT / "examples" / "listing.html").read_bytes())
    codes, region = tag_path_sequence(page).codes, TagPathFilter().apply(page)
    _, axes = plt.subplots(figsize=(7, 3.4))
    axes.axvspan(region.start, region.stop - 1, color=OURS, alpha=0.15, linewidth=0)
    axes.text(region.start + 2, codes.max(), "main region", color=OURS, va="top")
    axes.plot(codes, color=GREY, linewidth=0.5)
    places = range(region.start, region.stop)
    axes.plot(range(len(codes)), codes, ".", color=OTHERS, markersize=4)
    axes.plot(places, codes[region.start : region.stop], ".", color=OURS, markersize=4)
    axes.set(xlabel="node of the page", ylabel="number of its tag path")
    axes.margins(x=0.01)
    save("tag_paths")


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
    draw_xcex()
    draw_tag_paths()


if __name__ == "__main__":
    main(sys.argv[1:])
