/* The page of shmemtrace report: its tables, its matrix, and the time line. Needs what plots.js, tables.js, unpack.js and
 * timeline.js define. */

const LOW = 0.8; /* efficiencies below are marked */
const MOST_PAIRS = 200;
const LONG_TEXT = 40; /* characters: longer ones are broken */
const percentText = (share) => `${digits(100 * share, 3)} %`;
const countText = (x) => x.toLocaleString("en");

/* A table in the place of that id. columns: a name, of texts, or [name, number as text, whether it has a bar]. */
function sheet(id, columns, rows, note = "") {
  const most = columns.map((column, i) => (column[2] === true ? Math.max(...rows.map((row) => row[i])) : 0));
  const cell = (value, i) => {
    if (typeof columns[i] === "string" || value === "")
      return element("td", { className: value.length > LONG_TEXT ? "long" : "" }, value);
    const made = element("td", { className: most[i] > 0 ? "n share" : "n" }, columns[i][1](value));
    made.dataset.v = value;
    if (most[i] > 0)
      made.style.setProperty("--share", `${100 * value / most[i]}%`);
    return made;
  };
  const head = columns.map((column) => (typeof column === "string" ? element("th", { scope: "col" }, column)
    : element("th", { scope: "col", className: "n" }, column[0])));
  const table = element("table", { className: "sortable" }, element("thead", {}, element("tr", {}, ...head)),
                        element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell)))));
  const place = document.getElementById(id);
  place.className = "sheet";
  place.replaceChildren(...(rows.length ? [element("div", { className: "scroll" }, table)] : ["Nothing."]),
                        ...(note ? [element("p", { className: "remark" }, note)] : []));
  if (rows.length)
    new Table(table);
}

const callText = (call) => (call ? call.routine + (call.site ? ` at ${call.site}` : "") : "");

function legend() {
  const items = data.timeline.categories.map((name, kind) => {
    const mark = element("i");
    mark.style.background = palette[kind];
    return element("li", {}, mark, name);
  });
  const rest = element("i");
  rest.style.background = colors.line;
  document.getElementById("legend").replaceChildren(...items, element("li", {}, rest, "computation"),
    element("li", {}, element("i", { className: "waits" }), "waits for another PE"));
}

/* Says what the time line leaves out. */
function said() {
  const line = data.timeline, parts = [`${countText(line.calls)} calls of ${countText(line.rows.length)} rows`];
  if (line.linesPerRow > 1)
    parts.push(`a row is ${line.linesPerRow} threads, since they are more than 1024, and has no single calls`);
  if (line.together)
    parts.push(`short calls within ${timeText(line.together * 1e-9)} are shown together, since there are too many: ` +
               "--calls keeps more, --from and --to look into a part");
  if (!data.summary.whole)
    parts.push("parts of the trace are damaged and left out");
  if (data.summary.dropped)
    parts.push(`${countText(data.summary.dropped)} calls were not recorded`);
  document.getElementById("said").textContent = `${parts.join("; ")}.`;
}

/* The longest wait of a cause. */
function longestWait(timeline, finding) {
  const { causes, spots } = data.timeline, site = finding.in.site ?? "";
  return timeline.lines.waits.flat().filter((wait) => causes[wait.cause] === finding.cause &&
    spots[wait.spot][0] === finding.in.routine && spots[wait.spot][1] === site)
    .reduce((a, b) => (a && a.until - a.from >= b.until - b.from ? a : b), null);
}

function showButton(timeline, finding) {
  const wait = longestWait(timeline, finding);
  if (!wait)
    return "";
  const button = element("button", { type: "button" }, "show the longest");
  button.addEventListener("click", () => {
    const length = wait.until - wait.from;
    timeline.show(wait.from - length / 2, wait.until + length / 2);
    timeline.choose(wait.row, wait.from);
    timeline.canvas.focus();
  });
  return button;
}

function tables(timeline) {
  const { explain, summary } = data, time = timeText;
  const seconds = explain.to - explain.from;
  sheet("findings", ["cause", ["costs", time, true], ["waiting", time], "what", "remedy", "where"], explain.findings.map((f) =>
    [f.cause, f.seconds, f.waited, f.sentence, f.remedy, showButton(timeline, f)]));
  sheet("stays", [["PE", plainText], "what", ["time", time, true], ["of the run", percentText]], explain.critical_path.map((s) =>
    [s.pe, s.computes_after ? `computes after ${callText(s.computes_after)}` : callText(s.communicates_in), s.seconds,
     s.seconds / seconds]));
  const efficiency = (x) => `${x.toFixed(2)}${x < LOW ? " !" : ""}`;
  sheet("efficiencies", ["phase", ["time", time], ...["parallel", "load balance", "serialization", "transfer"].map((name) =>
    [name, efficiency])], explain.efficiency.map((e) => [e.phase === null ? "all" : String(e.phase), e.seconds,
    ...[e.parallel, e.load_balance, e.serialization, e.transfer].map((x) => x ?? "")]));
  const quantities = [["calls", countText], ["bytes", sizeText], ["inside", time], ["waiting", time], ["outside", time]];
  sheet("spreads", ["", "mean", "most", ["most/mean", (x) => digits(x, 3), true], ["on PE", plainText]], quantities.map(([name, text]) => {
    const { mean, max, ratio, pe } = summary.imbalance[name];
    return [name, text(mean), text(max), ratio, pe];
  }));
  sheet("pes", [["PE", plainText], ["elapsed", time], ...quantities.map(([name, text]) => [name, text, true])], summary.per_pe.map((pe) =>
    [pe.pe, pe.elapsed, ...quantities.map(([name]) => pe[name])]));
  sheet("bytes", [["from", sizeText], ["to", sizeText], ["calls", countText, true], ["bytes", sizeText, true], ["time", time, true], "by class"],
        summary.sizes.map((s) => [s.from, s.to, s.calls, s.bytes, s.seconds,
                                  Object.entries(s.classes).map(([name, calls]) => `${name} ${calls}`).join(", ")]));
  const totals = [["calls", countText], ["bytes", sizeText], ["time", time, true], ["share", percentText], ["mean", time], ["longest", time]];
  const total = (x) => [x.calls, x.bytes, x.seconds, x.share, x.seconds / x.calls, x.longest];
  sheet("by_site", ["call site", "routine", ...totals], summary.sites.map((s) => [s.site, s.routine, ...total(s)]));
  sheet("by_routine", ["routine", "class", ...totals], summary.routines.map((r) => [r.routine, r.class, ...total(r)]));
}

/* ---- The matrix ---- */

const QUANTITIES = [["bytes written", sizeText], ["bytes read", sizeText], ["calls", countText], ["time waited for the peer", timeText]];

class Matrix {
  constructor(matrix) {
    this.matrix = matrix;
    this.canvas = document.getElementById("cells");
    this.select = document.getElementById("quantity");
    QUANTITIES.forEach(([name], i) => this.select.append(element("option", { value: i }, name)));
    this.select.value = [0, 1, 3, 2].find((k) => matrix.cells.some((cell) => cell[2 + k] > 0)) ?? 2;
    this.select.addEventListener("change", () => this.draw());
    this.canvas.addEventListener("pointermove", (event) => this.say(event));
    this.draw();
  }

  name(group) {
    const first = group * this.matrix.group, last = Math.min(this.matrix.pes, first + this.matrix.group) - 1;
    return first === last ? `${first}` : `${first}-${last}`;
  }

  draw() {
    const { rows, cells } = this.matrix, kind = Number(this.select.value), shown = cells.filter((cell) => cell[2 + kind] > 0);
    const values = shown.map((cell) => cell[2 + kind]), context = this.canvas.getContext("2d");
    this.size = Math.max(3, Math.min(28, Math.floor(480 / rows)));
    this.canvas.width = this.canvas.height = LABELS + rows * this.size;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colors.fore;
    const every = Math.ceil(26 / this.size);
    for (let i = 0; i < rows; i += every) {
      context.fillText(this.name(i), LABELS + i * this.size, LABELS - 6);
      context.fillText(this.name(i), 2, LABELS + i * this.size + Math.min(this.size, 12));
    }
    const least = Math.log(Math.min(...values)), most = Math.log(Math.max(...values));
    context.fillStyle = palette[0];
    for (const cell of shown) {
      context.globalAlpha = 0.15 + 0.85 * (most > least ? (Math.log(cell[2 + kind]) - least) / (most - least) : 1);
      context.fillRect(LABELS + cell[1] * this.size, LABELS + cell[0] * this.size, this.size - (this.size > 6), this.size - (this.size > 6));
    }
    context.globalAlpha = 1;
    context.strokeStyle = colors.weak;
    context.strokeRect(LABELS - 1, LABELS - 1, rows * this.size + 1, rows * this.size + 1);
    const [name, text] = QUANTITIES[kind];
    document.getElementById("cell").textContent = values.length
      ? `${name}: from ${text(Math.min(...values))} (light) to ${text(Math.max(...values))} (dark), logarithmic` : `${name}: none`;
    sheet("pairs", ["PE", "peer", ...QUANTITIES], [...shown].sort((a, b) => b[2 + kind] - a[2 + kind]).slice(0, MOST_PAIRS)
      .map((cell) => [this.name(cell[0]), this.name(cell[1]), ...cell.slice(2)]));
  }

  say(event) {
    const [row, column] = [event.offsetY, event.offsetX].map((at) => Math.floor((at - LABELS) / this.size));
    const found = this.matrix.cells.find((cell) => cell[0] === row && cell[1] === column);
    if (row >= 0 && column >= 0 && row < this.matrix.rows && column < this.matrix.rows)
      document.getElementById("cell").textContent = `PE ${this.name(row)}, peer ${this.name(column)}: ` + (found
        ? QUANTITIES.map(([name, text], i) => `${name} ${text(found[2 + i])}`).join(", ") : "nothing");
  }
}

/* ---- All of it ---- */

readColors();
said();
legend();
const timeline = new Timeline(data.timeline);
const matrix = new Matrix(data.matrix);
tables(timeline);
dark.addEventListener("change", () => {
  readColors();
  legend();
  timeline.draw();
  matrix.draw();
});
