/* What the plots of reports and of histories share: numbers as text, colours, and when plots are drawn. All texts are
 * set as text, never as markup. */
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

/* ---- Numbers as people read them, as style.py has them ---- */

const TIMES = [["ns", 1e-9], ["µs", 1e-6], ["ms", 1e-3], ["s", 1]];
const RATES = [["B/s", 1], ["kB/s", 1e3], ["MB/s", 1e6], ["GB/s", 1e9], ["TB/s", 1e12]];
const SIZES = [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40]];
const MESSAGES = [["/s", 1], ["k/s", 1e3], ["M/s", 1e6], ["G/s", 1e9]];
const WIDTH_OF_DIGIT = 7; /* pixels */

function digits(value, count = 3) {
  if (value === 0)
    return "0";
  const rounded = Number(value.toPrecision(count));
  return Math.abs(rounded) < 1e-4 || Math.abs(rounded) >= 1e7 ? rounded.toExponential() : String(rounded);
}

function inUnits(value, units, count) {
  let chosen = units[0];
  for (const unit of units)
    if (Math.abs(value) >= 0.9995 * unit[1])
      chosen = unit;
  return `${digits(value / chosen[1], count)} ${chosen[0]}`;
}

/* Of ticks: those that are close together need more digits to differ. */
function distinctTexts(ticks, text) {
  const count = [3, 4, 5, 6, 8].find((digits) => new Set(ticks.map((tick) => text(tick, digits))).size === ticks.length);
  return ticks.map((tick) => text(tick, count ?? 12));
}

/* Of an axis with these texts. */
const widthOf = (texts) => 20 + WIDTH_OF_DIGIT * Math.max(4, ...(texts ?? []).map((text) => text.length));

/* ---- Colours ---- */

let palette = [];
let colors = {};
const dark = matchMedia("(prefers-color-scheme: dark)");
const printing = () => document.documentElement.classList.contains("printing");

function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "fore", "weak", "line", "bad", "doubtful"])
    colors[name] = style.getPropertyValue(`--${name}`).trim();
  palette = dark.matches && !printing() ? data.dark : data.light;
}

/* ---- Drawing ---- */

/* Calls draw(context, scale), which draws nothing outside the plot. */
function inside(plot, draw) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, devicePixelRatio);
  ctx.restore();
}

/* A dashed line from top to bottom, with a text at its top, beside it or along it. Sizes are in pixels of CSS. */
function verticalLine(plot, at, text, color, dash, size, along) {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio, x = plot.valToPos(at, "x", true);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = scale;
  ctx.setLineDash(dash.map((length) => length * scale));
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.translate(x - 3 * scale, bbox.top + 2 * scale);
  ctx.rotate(along ? -Math.PI / 2 : 0);
  ctx.font = `${size * scale}px sans-serif`;
  ctx.textBaseline = along ? "alphabetic" : "top";
  ctx.textAlign = "right";
  ctx.fillText(text, 0, 0);
  ctx.restore();
}

/* ---- When plots are drawn ---- */

/* Draws the page's figures when they are looked at, and again where colours or the paper ask for it. make: gives the plot
 * of a figure, whose draw(true) keeps what the reader has chosen. Returns a function that draws all again. */
function drawFigures(make) {
  const plots = new Map();
  const figures = [...document.querySelectorAll("figure.plot")];
  const drawn = (figure) => plots.has(figure) || plots.set(figure, make(figure));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting) {
        seen.unobserve(entry.target);
        drawn(entry.target);
      }
  }, { rootMargin: "400px" });
  const redraw = () => {
    readColors();
    plots.forEach((plot) => plot.draw(true));
  };
  const print = (begins) => {
    document.documentElement.classList.toggle("printing", begins);
    if (begins)
      figures.forEach(drawn);
    redraw();
  };
  readColors();
  figures.forEach((figure) => seen.observe(figure));
  dark.addEventListener("change", redraw);
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  return redraw;
}
