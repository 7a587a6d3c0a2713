// Live charts: the error with its interval, how much it asks, and the classes.

const box = document.getElementById("charts");
const EVERY = 5000; // milliseconds between looks at the figures
const HEIGHT = 166;
const plots = new Map();
let shown = "";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const percent = (share) => (share === null || share === undefined ? "?" : `${(100 * share).toFixed(1)}%`);

// Labels are counted in whole numbers.
const WHOLE = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5].map((power) => digit * 10 ** power)).sort((a, b) => a - b);

function axes(format) {
  const common = {
    stroke: () => colour("--soft"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  return [
    { ...common, size: 24, incrs: WHOLE, label: "labels", labelSize: 18, labelGap: 0, labelFont: common.font },
    { ...common, size: 48, values: (_, ticks) => ticks.map(format) },
  ];
}

const scales = { x: { time: false }, y: { range: (_, low, high) => [0, Math.min(1, Math.max(high || 0, 0.01) * 1.08)] } };

function draw(id, series, data, bands = []) {
  const place = document.getElementById(id);
  const known = plots.get(id);
  if (known) {
    known.setData(data);
    return;
  }
  const plot = new uPlot({
    width: place.clientWidth || 300,
    height: HEIGHT,
    scales,
    series: [{ label: "Labels" }, ...series],
    bands,
    axes: axes((share) => `${+(100 * share).toFixed(1)}%`),
    padding: [8, 10, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
  }, data, place);
  // A picture to those who listen: the caption and the sentence say what it shows.
  place.querySelector(".uplot").setAttribute("aria-hidden", "true");
  plots.set(id, plot);
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
}

function line(label, name = "--accent") {
  return {
    label,
    stroke: () => colour(name),
    width: 2,
    points: { show: (plot) => plot.data[0].length < 3 },
    spanGaps: true,
  };
}

function drawClasses(counts) {
  const bars = document.querySelector("#chart-classes .bars");
  const most = Math.max(1, ...Object.values(counts));
  bars.replaceChildren(...Object.entries(counts).flatMap(([name, count]) => {
    const label = Object.assign(document.createElement("span"), { className: "name", textContent: name, title: name });
    const bar = Object.assign(document.createElement("progress"), { value: count, max: most });
    bar.setAttribute("aria-label", `${name}: ${count}`);
    const figure = Object.assign(document.createElement("span"), { className: "numbers", textContent: count });
    return [label, bar, figure];
  }));
}

function sentence(id, text) {
  const place = document.getElementById(id);
  let words = place.querySelector(".unseen");
  if (!words) {
    words = Object.assign(document.createElement("span"), { className: "unseen" });
    place.append(words);
  }
  words.textContent = text;
}

function show(points) {
  box.hidden = points.length === 0;
  document.getElementById("no-charts").hidden = !box.hidden;
  if (box.hidden) return;
  const of = (name) => points.map((point) => point[name]);
  const band = { ...line("interval"), width: 0, points: { show: false }, spanGaps: true };
  draw(
    "chart-error",
    [line("error"), band, band],
    [of("labels"), of("error"), of("high"), of("low")],
    [{ series: [2, 3], fill: () => colour("--band") }],
  );
  // Points that were kept by an earlier version know only the share since the start.
  const rates = points.map((point) => point.rate_now ?? point.query_rate);
  draw("chart-rate", [line("asked", "--good")], [of("labels"), rates]);
  const last = points.at(-1);
  drawClasses(last.classes);
  sentence("chart-error", `After ${last.labels} labels the mean error is estimated at ${percent(last.error)} and lies between ${percent(last.low)} and ${percent(last.high)}.`);
  sentence("chart-rate", `It asks about ${percent(rates.at(-1))} of the examples now, and has asked about ${percent(last.query_rate)} since the start.`);
  box.dataset.shown = last.labels;
}

async function look() {
  if (document.hidden) return;
  try {
    const answer = await fetch(box.dataset.points);
    if (!answer.ok) return;
    const text = await answer.text();
    if (text === shown) return;
    shown = text;
    show(JSON.parse(text));
  } catch {
    // The next look may find the server again.
  }
}

let soon = 0;
document.body.addEventListener("askance:answered", () => {
  soon ||= setTimeout(() => { soon = 0; look(); }, 250);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const plot of plots.values()) plot.redraw();
});
setInterval(look, EVERY);
look();
