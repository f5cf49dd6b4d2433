/* The plots (by uPlot). Needs plots.js and tables.js. */
(() => {

/* ---- Plots ---- */

/* Places for ticks on a logarithmic axis: powers, not more than this many; where there are hardly any, 1-2-5. */
function logTicks(low, high, most, base) {
  const log = base === 2 ? Math.log2 : Math.log10;
  const first = Math.ceil(log(low) - 1e-9), last = Math.floor(log(high) + 1e-9);
  if (last - first >= 2) {
    const step = Math.ceil((last - first + 1) / Math.max(2, most));
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => base ** (first + i * step));
  }
  const fine = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    fine.push(...[1, 2, 5].map((step) => Number(`${step}e${power}`)).filter((tick) => tick >= low && tick <= high));
  return fine.length > 1 ? fine : [low, high];
}

const MOST_SERIES = 10; /* shown at first */
const LOGARITHMIC_FROM = 30; /* the largest value over the smallest one */
const HINT = "To zoom, drag over a part of the plot; double-click shows all of it again. Point at a value, or press " +
  "the arrow keys, to read it.";
const DASHES = [[], [8, 4], [2, 3]];
const KINDS = {
  time: { name: "time", text: timeText },
  bandwidth: { name: "bandwidth", text: rateText, amounts: "bandwidth" },
  bus: { name: "bus bandwidth", text: rateText, amounts: "bus_bandwidth" },
  rate: { name: "message rate", text: messagesText, amounts: "rate" },
  memory: { name: "memory", text: sizeText },
};

const colorOf = (series) => palette[series % palette.length];
const dashOf = (series) => DASHES[Math.floor(series / palette.length) % DASHES.length];

function faint(color, share) {
  return color + Math.round(share * 255).toString(16).padStart(2, "0");
}

class Plot {
  constructor(figure, block) {
    this.figure = figure;
    this.block = block;
    this.axis = 0;
    this.numbers = { positions: block.value.map((_, i) => i + 1), series: block.value.map(() => 0), marks: [], spacing: "linear",
                     labels: ["results, by their number in the table"] };
    this.chosen = {}; /* log x or log y, where the reader chose */
    this.intervals = this.next = this.old = true;
    this.kinds = Object.keys(KINDS).filter((kind) => block.value.some((_, i) => this.at(i, kind)));
    this.kind = this.kinds[0] ?? "time";
    this.hiding = new Set();
    this.figure.tabIndex = 0;
    this.figure.setAttribute("role", "group");
    this.frame = element("div", { className: "canvas" });
    this.tip = element("div", { className: "tip", hidden: true, role: "status" });
    this.target = element("div", { className: "target", hidden: true });
    this.legend = element("ul", { className: "legend" });
    this.remark = element("p", { className: "remark" });
    this.hint = element("p", { className: "remark hint" }, HINT);
    this.figure.replaceChildren(this.makeTools(), this.frame, this.hint, this.legend, this.remark);
    this.frame.append(this.tip);
    this.figure.addEventListener("keydown", (event) => this.key(event));
    this.startSeries();
    this.draw();
    this.width = this.frame.clientWidth;
    new ResizeObserver(() => {
      if (this.frame.clientWidth && this.frame.clientWidth !== this.width && !printing()) {
        this.width = this.frame.clientWidth;
        this.draw(true);
      }
    }).observe(this.frame);
  }

  /* ---- What is shown ---- */

  /* The chosen axis; of a block without any, the results by their number. */
  get over() {
    return this.block.axes[this.axis] ?? this.numbers;
  }

  /* The value of point i with its intervals, or null where this kind has none. */
  at(i, kind = this.kind) {
    const b = this.block;
    if (b.value[i] === null || b.memory[i] !== (kind === "memory"))
      return null;
    const { amounts } = KINDS[kind];
    if (!amounts)
      return { y: b.value[i], low: b.low[i], high: b.high[i], nextLow: b.nextLow[i], nextHigh: b.nextHigh[i],
               old: b.old[i] };
    const amount = b.amounts[amounts]?.[i];
    const rate = (time) => (time > 0 ? amount / time : null);
    if (!(amount > 0) || !(b.value[i] > 0))
      return null;
    return { y: rate(b.value[i]), low: rate(b.high[i]), high: rate(b.low[i]), nextLow: rate(b.nextHigh[i]),
             nextHigh: rate(b.nextLow[i]), old: rate(b.old[i]) };
  }

  /* The points of this axis and kind that can be drawn, by position, and how many cannot. */
  collect() {
    const { positions, series, spacing } = this.over;
    const candidates = [];
    this.block.value.forEach((_, i) => {
      const value = this.at(i);
      if (value && positions[i] !== null && !this.hiding.has(series[i]))
        candidates.push({ i, x: positions[i], series: series[i], ...value });
    });
    const ys = candidates.map((p) => p.y).filter((y) => y > 0);
    const spread = ys.length ? ys.reduce((a, b) => Math.max(a, b)) / ys.reduce((a, b) => Math.min(a, b)) : 1;
    this.logX = this.chosen.x ?? spacing !== "linear";
    this.logY = this.chosen.y ?? (ys.length === candidates.length && spread > LOGARITHMIC_FROM);
    const kept = candidates.filter((p) => (!this.logX || p.x > 0) && (!this.logY || p.y > 0));
    this.left = candidates.length - kept.length;
    return kept.sort((a, b) => a.x - b.x);
  }

  startSeries() {
    const count = this.over.labels.length;
    this.hiding = new Set();
    for (let series = MOST_SERIES; series < count; series++)
      this.hiding.add(series);
  }

  /* ---- Controls ---- */

  makeTools() {
    const tools = element("div", { className: "tools" });
    const choose = (label, names, set) => {
      const select = element("select", {}, ...names.map((name, i) => element("option", { value: i }, name)));
      select.addEventListener("change", () => set(Number(select.value)));
      tools.append(element("label", {}, label, select));
    };
    const check = (name, label, set) => {
      const box = element("input", { type: "checkbox", name });
      box.addEventListener("change", () => set(box.checked));
      tools.append(element("label", {}, box, label));
      return box;
    };
    const some = (list) => list.some((x) => x !== null);
    if (this.block.axes.length > 1)
      choose("over", this.block.axes.map((axis) => axis.name), (i) => {
        this.axis = i;
        delete this.chosen.x;
        this.startSeries();
        this.draw();
      });
    if (this.kinds.length > 1)
      choose("show", this.kinds.map((kind) => KINDS[kind].name), (i) => {
        this.kind = this.kinds[i];
        delete this.chosen.y;
        this.draw();
      });
    if (this.block.axes.length)
      this.logXBox = check("logx", "log x", (on) => {
        this.chosen.x = on;
        this.draw();
      });
    this.logYBox = check("logy", "log y", (on) => {
      this.chosen.y = on;
      this.draw();
    });
    const optional = [["intervals", "intervals", this.block.low], ["next", "prediction", this.block.nextLow],
                      ["old", "baseline", this.block.old]];
    for (const [name, label, values] of optional)
      if (some(values))
        check(name, label, (on) => {
          this[name] = on;
          this.draw(true);
        }).checked = true;
    this.reset = element("button", { type: "button", disabled: true }, "show all");
    this.reset.addEventListener("click", () => this.draw());
    tools.append(this.reset);
    return tools;
  }

  makeLegend() {
    const { labels } = this.over;
    const items = labels.map((label, series) => {
      const button = element("button", { type: "button" }, swatch(series), label || "(no name)");
      button.setAttribute("aria-pressed", String(!this.hiding.has(series)));
      button.title = "show or hide";
      button.addEventListener("click", () => {
        if (!this.hiding.delete(series))
          this.hiding.add(series);
        this.draw(true);
        this.legend.querySelectorAll("button")[series].focus();
      });
      return element("li", {}, button);
    });
    if (this.points.some((p) => this.block.doubted[p.i]))
      items.push(element("li", { className: "key" }, element("span", { className: "doubt" }, data.mark), " doubtful"));
    if (this.old && this.points.some((p) => p.old !== null))
      items.push(element("li", { className: "key" }, this.block.axes.length ? "dotted: baseline" : "squares: baseline"));
    const scrolled = this.legend.scrollTop;
    this.legend.replaceChildren(...items);
    this.legend.scrollTop = scrolled;
    this.legend.hidden = items.length === 1 && !this.block.axes.length;
    const hidden = this.hiding.size;
    const remarks = [];
    if (hidden)
      remarks.push(`${hidden} of ${labels.length} lines are hidden; the legend shows them.`);
    if (this.left)
      remarks.push(`${this.left} ${this.left === 1 ? "point" : "points"} at or below zero cannot be shown on a logarithmic axis.`);
    if (!this.points.length)
      remarks.push("Nothing to draw.");
    this.remark.textContent = remarks.join(" ");
  }

  /* ---- Drawing ---- */

  draw(keepZoom = false) {
    const zoom = keepZoom && this.plot && !this.reset.disabled &&
      ["x", "y"].map((key) => [key, { min: this.plot.scales[key].min, max: this.plot.scales[key].max }]);
    this.plot?.destroy();
    this.points = this.collect();
    this.current = null;
    this.tip.hidden = true;
    this.plot = null;
    this.reset.disabled = !zoom;
    this.frame.hidden = this.hint.hidden = !this.points.length;
    if (this.points.length)
      this.plot = new uPlot(this.options(), this.data(), this.frame);
    if (this.plot) {
      this.plot.over.append(this.target);
      this.frame.append(this.tip);
      this.target.hidden = true;
      this.drawn = true;
    }
    if (zoom && this.plot)
      this.plot.batch(() => zoom.forEach(([key, range]) => this.plot.setScale(key, range)));
    if (this.logXBox)
      this.logXBox.checked = this.logX;
    this.logYBox.checked = this.logY;
    this.makeLegend();
  }

  shownSeries() {
    return [...new Set(this.points.map((p) => p.series))].sort((a, b) => a - b);
  }

  /* Columns over all positions: of each line its values, then the ends of its bands. */
  data() {
    const xs = [...new Set(this.points.map((p) => p.x))];
    const row = new Map(xs.map((x, i) => [x, i]));
    const columns = [xs];
    for (const { series, member } of this.columns()) {
      const column = new Array(xs.length).fill(null);
      for (const p of this.points)
        if (p.series === series && p[member] !== null && !(this.logY && p[member] <= 0))
          column[row.get(p.x)] = p[member];
      columns.push(column);
    }
    return columns;
  }

  columns() {
    const members = ["y"];
    if (this.intervals)
      members.push("low", "high");
    if (this.next)
      members.push("nextLow", "nextHigh");
    if (this.old)
      members.push("old");
    const used = (series, member) => this.points.some((p) => p.series === series && p[member] !== null);
    return this.shownSeries().flatMap((series) => members.filter((m) => used(series, m)).map((member) => ({ series, member })));
  }

  range(log) {
    return (plot, low, high, key) => {
      if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high))
        return log ? [0.1, 1] : [0, 1];
      if (log) {
        const factor = low === high ? 2 : (high / low) ** 0.05;
        return [low / factor, high * factor];
      }
      const pad = low === high ? Math.abs(low) / 2 || 1 : (high - low) * 0.05;
      return [low >= 0 && low < high / 2 && key === "y" ? 0 : low - pad, high + pad];
    };
  }

  options() {
    const axis = this.block.axes[this.axis];
    const { logX, logY } = this; /* a plot that is being replaced may still draw itself once */
    const width = Math.max(200, printing() ? 660 : this.frame.clientWidth);
    const height = Math.round(Math.min(420, Math.max(260, width * 0.48)));
    const bytes = axis && axis.unit === "bytes";
    const base = bytes || axis?.spacing === "log2" ? 2 : 10;
    const xText = !axis ? (number) => (this.block.value[number - 1] === undefined ? "" : String(number)) : bytes ? sizeText : plainText;
    const yText = KINDS[this.kind].text;
    const grid = { stroke: colors.line, width: 1 };
    const columns = this.columns();
    const column = (series, member) => columns.findIndex((c) => c.series === series && c.member === member) + 1;
    const bands = [];
    for (const series of this.shownSeries())
      for (const [low, high, share] of [["nextLow", "nextHigh", 0.14], ["low", "high", 0.3]])
        if (column(series, low) && column(series, high))
          bands.push({ series: [column(series, high), column(series, low)], fill: faint(colorOf(series), share) });
    const ticksOf = (log, size, room, own) => (log ? {
      splits: (plot, i, low, high) => logTicks(low, high, Math.floor(plot[size] / room), own), filter: (plot, ticks) => ticks,
    } : { space: room });
    const texts = (text) => (plot, ticks) => distinctTexts(ticks, text);
    const whole = axis ? undefined : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
    return {
      width, height,
      padding: [12, 16, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, distr: logX ? 3 : 1, log: base, range: this.range(logX) },
        y: { distr: logY ? 3 : 1, log: 10, range: this.range(logY) },
      },
      axes: [
        { stroke: colors.fore, grid, ticks: grid, label: axis ? axis.name + (axis.unit && axis.unit !== axis.name && !bytes ? ` [${axis.unit}]` : "") : "result",
          labelSize: 22, size: 34, ...ticksOf(logX, "width", 75, base), incrs: whole, values: texts(xText) },
        { stroke: colors.fore, grid, ticks: grid, label: `${KINDS[this.kind].name} (${this.block.what})`, labelSize: 22,
          size: (plot, values) => widthOf(values), ...ticksOf(logY, "height", 45, 10), values: texts(yText) },
      ],
      series: [{}, ...columns.map(({ series, member }) => this.lineStyle(series, member, axis))],
      bands,
      cursor: { points: { show: false }, drag: { x: true, y: true, uni: 30, setScale: true } },
      hooks: {
        draw: [(plot) => inside(plot, (ctx, scale) => this.drawMarks(plot, ctx, scale))],
        setCursor: [(plot) => this.hover(plot)],
        setSelect: [(plot) => { this.reset.disabled = plot.select.width === 0 && plot.select.height === 0 && this.reset.disabled; }],
        ready: [(plot) => plot.over.addEventListener("dblclick", () => this.draw())],
      },
    };
  }

  lineStyle(series, member, axis) {
    if (member === "y")
      return { stroke: colorOf(series), width: axis ? 2 : 0, dash: dashOf(series), spanGaps: true,
               paths: axis ? undefined : () => null,
               points: { show: this.points.length < 400 || !axis, size: 6, fill: colorOf(series), stroke: colorOf(series) } };
    if (member === "old")
      return { stroke: colorOf(series), width: axis ? 1.5 : 0, dash: [2, 4], spanGaps: true, points: { show: false } };
    return { stroke: "transparent", width: 0, spanGaps: true, points: { show: false },
             paths: axis ? undefined : () => null };
  }

  /* The mark of what is doubtful; bars for intervals where there is no line to have a band. */
  drawMarks(plot, ctx, scale) {
    const single = new Map();
    for (const p of this.points)
      single.set(p.series, (single.get(p.series) ?? 0) + 1);
    for (const mark of this.over.marks)
      if (this.kind !== "memory" && !this.hiding.has(mark.series)) /* where the protocol changes */
        verticalLine(plot, mark.x, mark.label, colors.weak, [1, 3], 11, true);
    for (const p of this.points) {
      const x = plot.valToPos(p.x, "x", true), y = plot.valToPos(p.y, "y", true);
      if (!this.block.axes.length || single.get(p.series) === 1) {
        this.bar(plot, p, "nextLow", "nextHigh", x, 5 * scale, 0.35, this.next);
        this.bar(plot, p, "low", "high", x, 2 * scale, 1, this.intervals);
        if (this.old && p.old !== null && (!this.logY || p.old > 0)) {
          const old = plot.valToPos(p.old, "y", true);
          ctx.strokeStyle = faint(colorOf(p.series), 0.75);
          ctx.lineWidth = 2 * scale;
          ctx.strokeRect(x - 4 * scale, old - 4 * scale, 8 * scale, 8 * scale);
        }
      }
      if (this.block.doubted[p.i]) {
        ctx.fillStyle = colors.doubtful;
        ctx.font = `bold ${18 * scale}px sans-serif`;
        ctx.fillText(data.mark, x + 4 * scale, y);
      }
    }
  }

  bar(plot, p, low, high, x, width, share, wanted) {
    if (!wanted || p[low] === null || p[high] === null || (this.logY && p[low] <= 0))
      return;
    const { ctx } = plot;
    const top = plot.valToPos(p[high], "y", true), bottom = plot.valToPos(p[low], "y", true);
    ctx.fillStyle = faint(colorOf(p.series), share);
    ctx.fillRect(x - width / 2, top, width, Math.max(1, bottom - top));
  }

  /* ---- Reading values ---- */

  hover(plot) {
    const { left, top } = plot.cursor;
    if (left < 0 || this.steered)
      return;
    let best = null, distance = 60 ** 2;
    for (const p of this.points) {
      const dx = plot.valToPos(p.x, "x") - left, dy = plot.valToPos(p.y, "y") - top;
      if (dx * dx + dy * dy < distance) {
        distance = dx * dx + dy * dy;
        best = p;
      }
    }
    this.show(best);
  }

  show(point) {
    this.current = point;
    this.tip.hidden = this.target.hidden = !point;
    if (!point)
      return;
    const { plot, block } = this;
    const text = KINDS[this.kind].text;
    const lines = [element("b", {}, block.label[point.i])];
    const say = (line) => lines.push(element("div", {}, line));
    const range = (low, high) => `${text(low, 4)} – ${text(high, 4)}`;
    say(`${KINDS[this.kind].name}: ${text(point.y, 4)}`);
    if (point.low !== null && point.high !== null)
      say(`${block.means[point.i] ? "mean of the middle ± standard error" : "interval of the median"}: ` +
          range(point.low, point.high));
    if (point.nextLow !== null && point.nextHigh !== null)
      say(`next run: ${range(point.nextLow, point.nextHigh)}`);
    if (KINDS[this.kind].amounts)
      say(`time: ${timeText(block.value[point.i], 4)}`);
    if (point.old !== null)
      say(`baseline: ${text(point.old, 4)}`);
    if (block.flags[point.i])
      say(`flags: ${block.flags[point.i]}`);
    this.tip.replaceChildren(...lines);
    const x = plot.valToPos(point.x, "x"), y = plot.valToPos(point.y, "y");
    this.target.style.left = `${x}px`;
    this.target.style.top = `${y}px`;
    const offset = plot.over.offsetLeft, room = this.frame.clientWidth;
    const tip = this.tip.getBoundingClientRect();
    let left = offset + x + 14;
    if (left + tip.width > room)
      left = Math.max(0, offset + x - tip.width - 14);
    this.tip.style.left = `${Math.max(0, Math.min(left, room - tip.width))}px`;
    this.tip.style.top = `${Math.max(0, plot.over.offsetTop + y + 14)}px`;
  }

  key(event) {
    if (event.target !== this.figure || !this.points.length || event.ctrlKey || event.altKey || event.metaKey)
      return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === "Escape") {
      this.show(null);
    } else if (steps[event.key]) {
      const [along, across] = steps[event.key];
      this.show(this.current ? this.neighbour(along, across) : this.points[0]);
    } else {
      return;
    }
    event.preventDefault();
  }

  neighbour(along, across) {
    let series = this.current.series;
    if (across) {
      const all = this.shownSeries();
      series = all[(all.indexOf(series) + across + all.length) % all.length];
    }
    const line = this.points.filter((p) => p.series === series);
    if (!across)
      return line[Math.max(0, Math.min(line.length - 1, line.indexOf(this.current) + along))];
    const away = (p) => Math.abs(p.x - this.current.x);
    return line.reduce((a, b) => (away(b) < away(a) ? b : a));
  }
}

function svg(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes))
    node.setAttribute(key, value);
  return node;
}

function swatch(series) {
  const image = svg("svg", { width: 26, height: 12, "aria-hidden": "true" });
  image.append(svg("line", { x1: 0, x2: 26, y1: 6, y2: 6, stroke: colorOf(series), "stroke-width": 2,
                             "stroke-dasharray": dashOf(series).join(" ") }),
               svg("circle", { cx: 13, cy: 6, r: 3, fill: colorOf(series) }));
  return image;
}

/* ---- The page ---- */

document.querySelectorAll("table.sortable").forEach((table) => new Table(table));
drawFigures((figure) => new Plot(figure, data.blocks[Number(figure.dataset.block) - 1]));
})();
