// A plot beside the page: its length is the page's, so that both scroll as one.
import { $, s } from "./dom.js";
import { choose, on, state } from "./store.js";
import { boxOfBlock, topOfRow } from "./stage.js";
import { t } from "./language.js";

const MARGIN = 8;

export function draw() {
  const svg = $("gutter");
  const { view, plot } = state;
  svg.classList.toggle("none", plot === "none");
  if (!view || plot === "none") return svg.replaceChildren();
  const height = $("frame").offsetHeight;
  svg.style.height = `${height}px`;
  svg.setAttribute("aria-label", `${t("plot")}: ${t(`plot_${plot}`)}`);
  const width = svg.clientWidth - MARGIN;
  const shapes = { score: scores, slope, paths }[plot](view, width);
  const axis = s("line", { class: "axis", x1: width + 0.5, x2: width + 0.5, y1: 0, y2: height });
  svg.replaceChildren(axis, ...shapes);
}

/** Bars from the page's edge outwards: the longer, the surer the method that it is content. */
function scores(view, width) {
  const values = view.blocks.map((block) => block.decisions[0].score);
  const known = values.filter((value) => value !== null);
  const low = Math.min(0, ...known);
  const span = Math.max(1e-9, Math.max(...known, low === 0 ? 0 : -Infinity) - low);
  const scale = low === 0 && span <= 1 ? 1 : span; // probabilities are shown as they are
  return view.blocks.flatMap((block, number) => {
    const place = boxOfBlock(number);
    if (!place) return [];
    const share = values[number] === null ? 0 : (values[number] - low) / scale;
    const length = Math.max(2, share * (width - 2));
    const kept = block.decisions[0].kept ? "kept" : "dropped";
    const bar = s("rect", {
      class: number === state.chosen ? "chosen" : kept,
      x: width - length, y: place.top, width: length, height: Math.max(1.5, place.height - 1), rx: 1,
    });
    bar.addEventListener("click", () => choose(number, "gutter"));
    return [bar];
  });
}

/** The share of all tags met so far: steep along the page where there is text, flat where markup. */
function slope(view, width) {
  const points = placed(view.slope, width);
  return [s("polyline", { class: "line", points: points.map((p) => p.slice(0, 2).join(",")).join(" ") })];
}

/** Tag paths numbered as they appear: what comes back to the same numbers is a list. */
function paths(view, width) {
  const { points, region } = view.paths;
  const [top, bottom] = (region ?? []).map(topOfRow);
  const shapes = [];
  if (top !== null && bottom > top) {
    shapes.push(s("rect", { class: "region", x: 0, y: top, width, height: bottom - top }));
  }
  for (const [x, y, row] of placed(points, width)) {
    const within = region && row >= region[0] && row <= region[1];
    shapes.push(s("circle", { class: within ? "dot in" : "dot", cx: x, cy: y, r: 1.6 }));
  }
  return shapes;
}

/** Return points where their rows are, spread over the width of the plot. */
function placed(points, width) {
  const shown = points.map(([row, share]) => [row, share, topOfRow(row)]).filter((p) => p[2] !== null);
  const shares = shown.map(([, share]) => share);
  const low = Math.min(...shares);
  const span = Math.max(...shares) - low || 1;
  return shown.map(([row, share, top]) =>
    [(((share - low) / span) * (width - 6) + 3).toFixed(1), top.toFixed(1), row]);
}

export function listen() {
  for (const event of ["measured", "chosen", "plot"]) on(event, draw);
}
