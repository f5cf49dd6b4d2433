/* Elements, tables that are sorted and filtered, numbers with their units. Needs plots.js. */

/* ---- Elements ---- */

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in node && key !== "list")
      node[key] = value;
    else
      node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/* ---- Tables ---- */

function cellValue(row, column) {
  const cell = row.cells[column];
  const number = cell.classList.contains("n") ? Number(cell.dataset.v) : NaN;
  return Number.isNaN(number) ? (cell.dataset.v ?? cell.textContent) : number;
}

/* Numbers before texts; nothing is last, whatever the direction. */
function compareCells(a, b, direction) {
  if (a === "" || b === "")
    return (a === "") - (b === "");
  if (typeof a !== typeof b)
    return typeof a === "number" ? -1 : 1;
  const order = typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
  return direction * order;
}

const MOST_ROWS = 500; /* shown until the reader wants more: browsers are slow with long tables */

class Table {
  constructor(table) {
    this.table = table;
    this.body = table.tBodies[0];
    this.rows = [...this.body.rows];
    this.words = [];
    this.most = MOST_ROWS;
    const tools = table.closest(".sheet").querySelector(".tools");
    this.shown = tools?.querySelector(".shown");
    this.more = element("button", { type: "button", hidden: true }, "show all");
    this.more.addEventListener("click", () => {
      this.most = Infinity;
      this.show();
    });
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = element("button", { type: "button" }, ...header.childNodes);
      button.addEventListener("click", () => this.sort(header, column));
      header.setAttribute("aria-sort", "none");
      header.append(button);
    });
    if (tools) {
      tools.append(this.more);
      tools.hidden = false;
      tools.querySelector("input").addEventListener("input", (event) => {
        this.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
        this.show();
      });
    }
    if (this.rows.length > this.most)
      this.show();
  }

  sort(header, column) {
    const direction = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of this.table.tHead.rows[0].cells)
      other.setAttribute("aria-sort", "none");
    header.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    const keyed = this.rows.map((row) => [cellValue(row, column), row]);
    keyed.sort((a, b) => compareCells(a[0], b[0], direction));
    this.rows = keyed.map(([, row]) => row);
    this.show();
  }

  show() {
    const text = (row) => [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
    const found = this.words.length ? this.rows.filter((row) => {
      row.searched ??= text(row);
      return this.words.every((word) => row.searched.includes(word));
    }) : this.rows;
    const shown = found.slice(0, this.most);
    this.body.replaceChildren(...shown);
    this.more.hidden = shown.length === found.length;
    if (this.shown)
      this.shown.textContent = shown.length === this.rows.length ? "" : `${shown.length} of ${this.rows.length} rows`;
  }
}

/* ---- Numbers ---- */

const timeText = (x, count) => inUnits(x, TIMES, count);
const messagesText = (x, count) => inUnits(x, MESSAGES, count);
const rateText = (x, count) => inUnits(x, RATES, count);
const sizeText = (x, count = 4) =>
  Math.abs(x) < 10000 && x % 1024 ? `${digits(x, 4)} B` : inUnits(x, SIZES, count);
const plainText = (x) => (Math.abs(x) < 1e7 ? String(Number(x.toPrecision(8))) : digits(x, 6));
