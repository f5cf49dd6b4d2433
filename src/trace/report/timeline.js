/* The time line: all rows on a canvas, from shares of stretches of time or, where they are few enough, from calls. */

const LABELS = 64; /* pixels left of the rows */
const MOST_ITEMS = 400000; /* that are drawn one by one */
const MOST_LISTED = 200;
const LABEL_LEAST = 56; /* pixels of a call that is labelled */
const MOST_NAMED = 20000; /* calls of a row of which some are labelled */
const LEAST_VIEW = 20; /* ns */

const shortName = (routine) => routine.replace(/^shmem_/, "");

class Timeline {
  constructor(line) {
    this.line = line;
    this.lines = new Lines(line);
    this.kinds = line.categories.length;
    this.canvas = document.getElementById("lines");
    this.axis = document.getElementById("axis");
    this.scroller = document.getElementById("scroller");
    this.status = document.getElementById("status");
    this.from = 0;
    this.to = line.length;
    this.chosen = { row: 0, time: null };
    const height = document.getElementById("height");
    height.value = this.height = Math.max(4, Math.min(28, Math.round(480 / line.rows.length)));
    height.addEventListener("input", () => {
      this.height = Number(height.value);
      this.draw();
    });
    this.listen();
    this.draw();
  }

  /* ---- Where things are ---- */

  x(time) {
    return LABELS + (time - this.from) / (this.to - this.from) * (this.width - LABELS);
  }

  timeAt(x) {
    return this.from + (x - LABELS) / (this.width - LABELS) * (this.to - this.from);
  }

  rowAt(y) {
    return Math.max(0, Math.min(this.line.rows.length - 1, Math.floor((y + this.scroller.scrollTop) / this.height)));
  }

  text(time, count = 9) {
    return `${digits(this.line.from + time * 1e-9, count)} s`;
  }

  show(from, to) {
    const least = Math.max(LEAST_VIEW, to - from), length = Math.min(least, this.line.length);
    this.from = Math.max(0, Math.min((from + to - length) / 2, this.line.length - length));
    this.to = this.from + length;
    this.draw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  move(share) {
    const by = share * (this.to - this.from);
    const kept = Math.max(-this.from, Math.min(by, this.line.length - this.to));
    this.show(this.from + kept, this.to + kept);
  }

  /* ---- Drawing ---- */

  draw() {
    const rows = this.line.rows.length, scale = devicePixelRatio || 1;
    document.getElementById("filler").style.height = `${rows * this.height}px`;
    this.width = Math.max(320, this.scroller.clientWidth);
    const seen = Math.min(this.scroller.clientHeight, rows * this.height);
    for (const [canvas, height] of [[this.canvas, seen], [this.axis, 22]]) {
      canvas.width = this.width * scale;
      canvas.height = height * scale;
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${height}px`;
      canvas.getContext("2d").scale(scale, scale);
    }
    this.rgb = palette.map((color) => 0xff000000 | parseInt(color.slice(5, 7) + color.slice(3, 5) + color.slice(1, 3), 16));
    this.first = Math.floor(this.scroller.scrollTop / this.height);
    this.last = Math.min(rows - 1, Math.floor((this.scroller.scrollTop + seen - 1) / this.height));
    let items = 0;
    for (let row = this.first; row <= this.last; row++)
      items += this.lines.countBetween(row, this.from, this.to);
    this.single = this.line.blocks.length > 0 && items <= MOST_ITEMS;
    const context = this.canvas.getContext("2d");
    context.font = "11px system-ui, sans-serif";
    for (let row = this.first; row <= this.last; row++)
      this.drawRow(context, row, row * this.height - this.scroller.scrollTop, scale);
    this.drawChosen(context);
    this.drawAxis();
    document.getElementById("from").value = digits(this.line.from + this.from * 1e-9, 10);
    document.getElementById("to").value = digits(this.line.from + this.to * 1e-9, 10);
    if (document.getElementById("listing").open)
      this.list();
  }

  drawRow(context, row, y, scale) {
    const gap = this.height > 6 ? 2 : 0, pixels = Math.round((this.width - LABELS) * scale);
    const columns = new Float32Array(pixels * this.kinds);
    if (this.single)
      this.addCalls(columns, row, pixels);
    else
      this.addShares(columns, row, pixels);
    this.paint(context, columns, pixels, Math.max(1, Math.round((this.height - gap) * scale)), Math.round(y * scale), scale);
    const every = Math.max(1, Math.ceil(13 / this.height));
    context.fillStyle = colors.fore;
    if (row % every === 0)
      context.fillText(`PE ${this.line.rows[row]}`, 2, y + Math.min(this.height - 2, this.height / 2 + 4), LABELS - 6);
    if (this.single && this.height >= 12)
      this.drawNames(context, row, y);
    this.drawWaits(context, row, y + this.height - gap);
  }

  /* Adds up how much of each pixel's time is spent on what. */
  addShares(columns, row, pixels) {
    const { buckets, length, full } = this.line, shares = this.lines.shares, base = row * buckets;
    const step = (this.to - this.from) / pixels / length * buckets, begin = this.from / length * buckets;
    for (let pixel = 0; pixel < pixels; pixel++) {
      const from = begin + pixel * step, to = Math.min(buckets, from + step);
      for (let bucket = Math.floor(from); bucket < to; bucket++) {
        const part = (Math.min(to, bucket + 1) - Math.max(from, bucket)) / step / full;
        for (let kind = 0; kind < this.kinds; kind++)
          columns[pixel * this.kinds + kind] += part * shares[(base + bucket) * this.kinds + kind];
      }
    }
  }

  addCalls(columns, row, pixels) {
    const scale = pixels / (this.to - this.from);
    this.lines.each(row, this.from, this.to, (block, i) => {
      const from = Math.max(0, (block.start[i] - this.from) * scale), to = Math.min(pixels, (block.end[i] - this.from) * scale);
      const share = block.inside[i] / (block.end[i] - block.start[i] || 1), kind = this.line.spots[block.spot[i]][2];
      for (let pixel = Math.floor(from); pixel < to; pixel++)
        columns[pixel * this.kinds + kind] += share * (Math.min(to, pixel + 1) - Math.max(from, pixel));
    });
  }

  /* Each pixel's shares on one another; what is left on top is computation. */
  paint(context, columns, pixels, height, y, scale) {
    const image = context.createImageData(pixels, height), data = new Uint32Array(image.data.buffer);
    for (let pixel = 0; pixel < pixels; pixel++) {
      let sum = 0, at = height;
      for (let kind = 0; kind < this.kinds; kind++) {
        const share = columns[pixel * this.kinds + kind];
        if (!share)
          continue;
        sum += share;
        const end = Math.max(0, height - Math.round(height * Math.min(1, sum)));
        for (; at > end; at--)
          data[(at - 1) * pixels + pixel] = this.rgb[kind];
      }
    }
    context.fillStyle = colors.line;
    context.fillRect(LABELS, y / scale, this.width - LABELS, height / scale);
    this.buffer ??= document.createElement("canvas");
    this.buffer.width = pixels;
    this.buffer.height = height;
    this.buffer.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(this.buffer, LABELS, y / scale, pixels / scale, height / scale);
  }

  drawNames(context, row, y) {
    if (this.lines.countBetween(row, this.from, this.to) > MOST_NAMED)
      return;
    this.lines.each(row, this.from, this.to, (block, i) => {
      const from = Math.max(LABELS, this.x(block.start[i])), to = Math.min(this.width, this.x(block.end[i]));
      if (to - from < LABEL_LEAST)
        return;
      const name = block.calls[i] > 1 ? `${block.calls[i]} calls` : shortName(this.line.spots[block.spot[i]][0]);
      const text = name.slice(0, Math.floor((to - from - 6) / 6));
      context.fillStyle = colors.back;
      context.fillRect(from + 2, y + this.height / 2 - 7, context.measureText(text).width + 4, 13);
      context.fillStyle = colors.fore;
      context.fillText(text, from + 4, y + this.height / 2 + 4);
    });
  }

  drawWaits(context, row, bottom) {
    const thick = Math.max(1, Math.min(3, this.height / 4));
    let drawn = LABELS;
    context.fillStyle = colors.bad;
    for (const wait of this.lines.waitsBetween(row, this.from, this.to)) {
      const from = Math.max(drawn, this.x(wait.from)), to = Math.min(this.width, this.x(wait.until));
      if (to - from > 0.2) {
        context.fillRect(from, bottom - thick, Math.max(0.5, to - from), thick);
        drawn = to;
      }
    }
  }

  drawChosen(context) {
    const { row, time } = this.chosen;
    if (time === null)
      return;
    context.strokeStyle = colors.fore;
    context.lineWidth = 1.5;
    const y = row * this.height - this.scroller.scrollTop;
    const found = this.callAt(row, time);
    const [from, to] = found ? [this.x(found.start), this.x(found.end)] : [this.x(time) - 1, this.x(time) + 1];
    context.strokeRect(Math.max(LABELS, from), y, Math.max(2, Math.min(this.width, to) - Math.max(LABELS, from)), this.height - 1);
  }

  drawAxis() {
    const context = this.axis.getContext("2d"), span = (this.to - this.from) * 1e-9;
    const begin = this.line.from + this.from * 1e-9, most = Math.max(2, Math.floor((this.width - LABELS) / 120));
    const raw = span / most, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= raw);
    const ticks = [];
    for (let tick = Math.ceil(begin / step) * step; tick <= begin + span; tick += step)
      ticks.push(tick);
    const texts = distinctTexts(ticks, timeText);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colors.fore;
    ticks.forEach((tick, i) => {
      const x = this.x((tick - this.line.from) * 1e9);
      context.fillRect(x, 16, 1, 6);
      context.fillText(texts[i], Math.min(x + 2, this.width - 6 * texts[i].length), 12);
    });
  }

  /* ---- What is where ---- */

  callAt(row, time) {
    let found = null;
    if (this.single)
      this.lines.each(row, time, time + 1e-6, (block, i) => {
        found ??= { row, spot: block.spot[i], start: block.start[i], end: block.end[i], calls: block.calls[i], inside: block.inside[i] };
      });
    return found && found.start <= time ? found : null;
  }

  describe(call) {
    const [routine, site] = this.line.spots[call.spot];
    const what = call.calls > 1
      ? `${call.calls} short calls together, in them ${timeText(call.inside * 1e-9, 4)}; the longest is ${routine}` : routine;
    return `${what}${site ? ` at ${site}` : ""}, ${timeText((call.end - call.start) * 1e-9, 4)} from ${this.text(call.start)} on`;
  }

  describeShares(row, time) {
    const { buckets, length, full, categories } = this.line;
    const bucket = Math.min(buckets - 1, Math.floor(time / length * buckets)), at = (row * buckets + bucket) * this.kinds;
    const parts = categories.map((name, kind) => [name, this.lines.shares[at + kind] / full]).filter(([, share]) => share > 0);
    parts.push(["computation", Math.max(0, 1 - parts.reduce((sum, [, share]) => sum + share, 0))]);
    return parts.sort((a, b) => b[1] - a[1]).map(([name, share]) => `${name} ${digits(100 * share, 2)} %`).join(", ");
  }

  say(row, time) {
    const call = this.callAt(row, time), waits = this.lines.waitsBetween(row, time, time + 1e-6);
    let text = `PE ${this.line.rows[row]} at ${this.text(time)}: `;
    text += call ? this.describe(call) : this.single ? "computation" : this.describeShares(row, time);
    for (const wait of waits.slice(0, 1))
      text += `; waits ${timeText((wait.until - wait.from) * 1e-9)} for PE ${this.line.rows[wait.by]} (${this.line.causes[wait.cause]})`;
    this.status.textContent = text;
  }

  choose(row, time) {
    this.chosen = { row: Math.max(0, Math.min(this.line.rows.length - 1, row)), time };
    const y = this.chosen.row * this.height, view = this.scroller;
    if (y < view.scrollTop || y + this.height > view.scrollTop + view.clientHeight)
      view.scrollTop = y - view.clientHeight / 2;
    if (time !== null && (time < this.from || time > this.to))
      this.move((time - (this.from + this.to) / 2) / (this.to - this.from));
    this.draw();
    this.say(this.chosen.row, time);
  }

  /* The next call of the chosen row, or the previous one. */
  step(direction) {
    const { row } = this.chosen, time = this.chosen.time ?? this.from, now = this.callAt(row, time);
    const found = direction > 0 ? this.lines.after(row, now ? now.end : time) : this.lines.before(row, now ? now.start : time);
    if (found !== null)
      this.choose(row, found);
  }

  list() {
    const rows = [];
    if (this.single)
      for (let row = this.first; row <= this.last && rows.length < MOST_LISTED; row++)
        this.lines.each(row, this.from, this.to, (block, i) => {
          if (rows.length < MOST_LISTED)
            rows.push([this.line.rows[row], this.line.from + block.start[i] * 1e-9, (block.end[i] - block.start[i]) * 1e-9,
                       block.calls[i], ...this.line.spots[block.spot[i]].slice(0, 2)]);
        });
    else
      for (let row = this.first; row <= this.last && rows.length < MOST_LISTED; row++)
        rows.push([this.line.rows[row], this.line.from + (this.from + this.to) / 2e9, (this.to - this.from) * 1e-9, "",
                   this.sharesBetween(row), ""]);
    sheet("listed", ["PE", ["start", (x) => `${digits(x, 10)} s`], ["duration", timeText], ["calls", plainText], "routine", "call site"], rows,
          rows.length === MOST_LISTED ? `the first ${MOST_LISTED}` : "");
  }

  sharesBetween(row) {
    const columns = new Float32Array(this.kinds);
    this.addShares(columns, row, 1);
    return this.line.categories.map((name, kind) => [name, columns[kind]]).filter(([, share]) => share > 0.0005)
      .map(([name, share]) => `${name} ${digits(100 * share, 2)} %`).join(", ") || "computation";
  }

  /* ---- What readers do ---- */

  listen() {
    const does = { in: () => this.zoom(0.5), out: () => this.zoom(2), left: () => this.move(-0.4), right: () => this.move(0.4),
                   whole: () => this.show(0, this.line.length) };
    const keys = { "+": does.in, "=": does.in, "-": does.out, ArrowLeft: does.left, ArrowRight: does.right, 0: does.whole,
                   ArrowUp: () => this.choose(this.chosen.row - 1, this.chosen.time ?? (this.from + this.to) / 2),
                   ArrowDown: () => this.choose(this.chosen.row + 1, this.chosen.time ?? (this.from + this.to) / 2),
                   n: () => this.step(1), p: () => this.step(-1) };
    document.getElementById("tools").addEventListener("click", (event) => does[event.target.dataset.do]?.());
    for (const name of ["from", "to"])
      document.getElementById(name).addEventListener("change", () => {
        const [from, to] = ["from", "to"].map((id) => (Number(document.getElementById(id).value) - this.line.from) * 1e9);
        if (to > from)
          this.show(from, to);
      });
    this.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key])
        return;
      keys[event.key]();
      event.preventDefault();
    });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.dragged = event.offsetX;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => this.pointed(event));
    this.canvas.addEventListener("pointerup", (event) => {
      const from = this.timeAt(Math.min(this.dragged, event.offsetX)), to = this.timeAt(Math.max(this.dragged, event.offsetX));
      const far = Math.abs(event.offsetX - this.dragged) > 4;
      this.dragged = undefined;
      if (far)
        this.show(Math.max(0, from), Math.min(this.line.length, to));
      else
        this.choose(this.rowAt(event.offsetY), this.timeAt(event.offsetX));
    });
    this.canvas.addEventListener("wheel", (event) => {
      if (event.ctrlKey) {
        this.zoom(event.deltaY > 0 ? 1.5 : 1 / 1.5, this.timeAt(event.offsetX));
        event.preventDefault();
      }
    }, { passive: false });
    this.scroller.addEventListener("scroll", () => this.draw());
    document.getElementById("listing").addEventListener("toggle", () => this.draw());
    new ResizeObserver(() => this.width !== Math.max(320, this.scroller.clientWidth) && this.draw()).observe(this.scroller);
  }

  pointed(event) {
    if (event.offsetX < LABELS)
      return;
    if (this.dragged !== undefined) {
      this.draw();
      const context = this.canvas.getContext("2d");
      context.strokeStyle = colors.fore;
      context.strokeRect(Math.min(this.dragged, event.offsetX), 0, Math.abs(event.offsetX - this.dragged), this.canvas.height);
    }
    this.say(this.rowAt(event.offsetY), this.timeAt(event.offsetX));
  }
}
