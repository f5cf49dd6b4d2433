/* The plots of a history (by uPlot), and the filter of points. Needs plots.js. */
(() => {
const DAY = 86400;
const MOST_WIDTH = 900; /* of a picture: 60rem */

const dateText = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 16).replace("T", " ");

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.point = data.points[Number(figure.dataset.point)];
    this.units = this.point.quantity === "bytes" ? SIZES : TIMES;
    this.canvas = document.createElement("div");
    this.canvas.className = "canvas";
    this.said = document.createElement("p");
    this.said.className = "where";
    this.said.textContent = "\u00a0";
    const picture = figure.querySelector(".picture");
    this.height = picture.clientHeight || 340; /* nothing moves when the plot takes its place */
    picture.replaceWith(this.canvas, this.said);
    this.draw();
  }

  /* Of each line its values, then its levels. */
  columns() {
    return this.point.lines.flatMap((line) => {
      const levels = data.times.map(() => null);
      for (const [first, last, level] of line.levels)
        for (let i = first; i <= last; i++)
          levels[i] = level;
      return [line.values, levels];
    });
  }

  series() {
    return this.point.lines.flatMap((line, i) => {
      const stroke = palette[i % palette.length];
      const values = { stroke, width: 1, spanGaps: true, points: { show: data.times.length < 400, size: 5, fill: stroke } };
      /* Levels begin and end at changes: lines between them would be slopes. */
      const levels = { stroke, width: 3, points: { show: false }, paths: (plot) => this.steps(plot, line) };
      return [values, levels];
    });
  }

  steps(plot, line) {
    const stroke = new Path2D();
    for (const [first, last, level] of line.levels) {
      const y = plot.valToPos(level, "y", true);
      stroke.moveTo(plot.valToPos(data.times[first], "x", true), y);
      stroke.lineTo(plot.valToPos(data.times[last], "x", true), y);
    }
    return { stroke, fill: null };
  }

  draw() {
    this.plot?.destroy();
    const lines = { stroke: colors.line, width: 1 };
    const axis = { stroke: colors.fore, grid: lines, ticks: lines };
    const text = (value, digits) => inUnits(value, this.units, digits);
    const texts = (plot, ticks) => distinctTexts(ticks, text);
    const dates = (plot, ticks) => {
      const days = ticks.every((tick) => tick % DAY === 0);
      return ticks.map((tick) => dateText(tick).slice(0, days ? 10 : 16));
    };
    const width = Math.max(200, Math.min(MOST_WIDTH, printing() ? 660 : this.figure.clientWidth));
    this.plot = new uPlot({
      width, height: this.height, legend: { show: false },
      tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC"),
      scales: { x: { time: true } },
      series: [{}, ...this.series()],
      padding: [null, 60, null, null],
      axes: [{ ...axis, space: 110, values: dates }, { ...axis, values: texts, size: (plot, made) => widthOf(made) }],
      hooks: { draw: [(plot) => inside(plot, () => this.mark(plot))], setCursor: [(plot) => this.say(plot)] },
    }, [data.times, ...this.columns()], this.canvas);
  }

  mark(plot) {
    for (const [at, change] of this.point.lines.flatMap((line) => line.changes))
      verticalLine(plot, data.times[at], change, colors.bad, [4, 3], 12, false);
  }

  /* The launch under the cursor, in words. */
  say(plot) {
    const { idx } = plot.cursor;
    if (idx === null || idx === undefined) {
      this.said.textContent = "\u00a0";
      return;
    }
    const values = this.point.lines.filter((line) => line.values[idx] !== null)
      .map((line) => `${line.name ? `${line.name}: ` : ""}${inUnits(line.values[idx], this.units, 4)}`);
    this.said.textContent = `${dateText(data.times[idx])}: ${values.join(", ") || "no value"}`;
  }
}

/* ---- The page ---- */

const tools = document.querySelector(".tools");
const points = [...document.querySelectorAll(".point")].map((section) => ({ section, words: section.querySelector("h3").textContent.toLowerCase() }));

function filter() {
  const words = tools.querySelector("[name=filter]").value.toLowerCase().split(/\s+/).filter(Boolean);
  const changed = tools.querySelector("[name=changed]").checked;
  let count = 0;
  for (const point of points) {
    point.section.hidden = (changed && !("changed" in point.section.dataset)) || !words.every((word) => point.words.includes(word));
    count += !point.section.hidden;
  }
  tools.querySelector(".shown").textContent = count === points.length ? "" : `${count} of ${points.length} points`;
}

tools.hidden = false;
tools.addEventListener("input", filter);

const redraw = drawFigures((figure) => new Plot(figure));
let waiting = 0;
addEventListener("resize", () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(redraw);
});
})();
