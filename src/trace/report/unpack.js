/* What src/trace/report/report.c has packed, unpacked where it is looked at. Times are nanoseconds from the beginning
 * of what is shown. */

const packedText = document.getElementById("packed").textContent;

function unpackedBytes(at, length) {
  const text = atob(packedText.slice(at, at + length));
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++)
    bytes[i] = text.charCodeAt(i);
  return bytes;
}

class Numbers {
  constructor(at, length) {
    this.bytes = unpackedBytes(at, length);
    this.at = 0;
  }

  more() {
    return this.at < this.bytes.length;
  }

  next() {
    let number = 0, unit = 1, byte;
    do {
      byte = this.bytes[this.at++];
      number += (byte & 127) * unit;
      unit *= 128;
    } while (byte > 127);
    return number;
  }
}

/* Calls of a block: those that are taken together have calls > 1, and are inside of them for a part of the time. */
function unpackBlock([row, at, length, begin, count]) {
  const numbers = new Numbers(at, length);
  const block = { row, count, spot: new Int32Array(count), start: new Float64Array(count), end: new Float64Array(count),
                  calls: new Float64Array(count).fill(1), inside: new Float64Array(count) };
  let time = begin;
  for (let i = 0; i < count; i++) {
    const first = numbers.next();
    block.spot[i] = Math.floor(first / 2);
    block.start[i] = time += numbers.next();
    block.end[i] = time += numbers.next();
    block.inside[i] = block.end[i] - block.start[i];
    if (first % 2) {
      block.calls[i] = numbers.next();
      block.inside[i] = Math.min(numbers.next(), block.inside[i]);
    }
  }
  return block;
}

function unpackWaits([row, at, length, begin]) {
  const numbers = new Numbers(at, length), waits = [];
  for (let from = begin; numbers.more();) {
    from += numbers.next();
    waits.push({ row, from, until: from + numbers.next(), cause: numbers.next(), by: numbers.next(), spot: numbers.next() });
  }
  return waits;
}

/* The index of the first of `count` for which it is true, or count; what follows a true one is true. */
function firstOf(count, is) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

const KEPT_ITEMS = 6e6; /* that stay unpacked */

/* The calls and waits of all rows. */
class Lines {
  constructor(line) {
    this.line = line;
    this.blocks = line.rows.map(() => []);
    this.waits = line.rows.map(() => []);
    this.unpacked = new Map();
    this.kept = 0;
    for (const block of line.blocks)
      this.blocks[block[0]].push(block);
    for (const waits of line.waits)
      this.waits[waits[0]] = unpackWaits(waits);
    this.packedShares = [line.shares, 4 * Math.ceil(line.rows.length * line.buckets * line.categories.length / 3)];
  }

  get shares() {
    this.unpackedShares ??= unpackedBytes(...this.packedShares);
    return this.unpackedShares;
  }

  /* Blocks of a row that may lie between two times. */
  blocksOf(row, from, to) {
    const all = this.blocks[row];
    return all.slice(Math.max(0, firstOf(all.length, (i) => all[i][3] > from) - 1), firstOf(all.length, (i) => all[i][3] >= to));
  }

  countBetween(row, from, to) {
    return this.blocksOf(row, from, to).reduce((sum, block) => sum + block[4], 0);
  }

  /* Calls take(block, index) for each call of a row between two times, in order. */
  each(row, from, to, take) {
    for (const packed of this.blocksOf(row, from, to)) {
      const block = this.block(packed);
      for (let i = firstOf(block.count, (k) => block.end[k] >= from); i < block.count && block.start[i] < to; i++)
        take(block, i);
    }
  }

  /* When the first call from a time on begins, and when the last one before it; null: there is none. */
  after(row, time) {
    const all = this.blocks[row], at = firstOf(all.length, (i) => all[i][3] > time);
    for (const packed of all.slice(Math.max(0, at - 1), at + 1)) {
      const block = this.block(packed), i = firstOf(block.count, (k) => block.start[k] >= time);
      if (i < block.count)
        return block.start[i];
    }
    return null;
  }

  before(row, time) {
    const at = firstOf(this.blocks[row].length, (i) => this.blocks[row][i][3] >= time);
    if (at === 0)
      return null;
    const block = this.block(this.blocks[row][at - 1]);
    return block.start[firstOf(block.count, (k) => block.start[k] >= time) - 1];
  }

  block(packed) {
    let block = this.unpacked.get(packed);
    if (!block) {
      if (this.kept > KEPT_ITEMS) {
        this.unpacked.clear();
        this.kept = 0;
      }
      block = unpackBlock(packed);
      this.unpacked.set(packed, block);
      this.kept += block.count;
    }
    return block;
  }

  waitsBetween(row, from, to) {
    const all = this.waits[row];
    return all.slice(0, firstOf(all.length, (i) => all[i].from >= to)).filter((wait) => wait.until > from);
  }
}
