// A QR code (ISO/IEC 18004) of a text, in bytes, with the lowest correction: enough for a clean screen, and the smallest code.

/** Of the versions 1 to 40: bytes of correction in each block, and how many blocks there are. */
const corrections = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  30, 30, 30,
];
const blockCounts = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
];
const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0, (_, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0, (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The modules row by row: whether each is dark; null if the text is too long for any code. */
export function qrCode(text: string): boolean[][] | null {
  const bytes = new TextEncoder().encode(text);
  const version = corrections.findIndex((_, at) => (bytes.length + (at < 9 ? 2 : 3)) <= room(at + 1)) + 1;
  if (version === 0) return null;
  const code = new Code(version);
  code.fill(interleaved(version, padded(version, bytes)));
  return masks.map((mask, at) => code.masked(mask, at)).reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

function block(version: number): { length: number; count: number } {
  return { length: corrections[version - 1] ?? 0, count: blockCounts[version - 1] ?? 1 };
}

/** How many bytes there are, those of correction among them. */
function size(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version > 1) {
    const marks = Math.floor(version / 7) + 2;
    modules -= (25 * marks - 10) * marks - 55;
  }
  return Math.floor((version > 6 ? modules - 36 : modules) / 8);
}

function room(version: number): number {
  const { length, count } = block(version);
  return size(version) - length * count;
}

/** The mode, how many bytes there are, the bytes, and what fills the rest. */
function padded(version: number, bytes: Uint8Array): Uint8Array {
  const made = new Uint8Array(room(version));
  let bit = 0;
  const put = (value: number, bits: number) => {
    for (let at = bits - 1; at >= 0; at -= 1, bit += 1) made[bit >> 3] = (made[bit >> 3] ?? 0) | (((value >> at) & 1) << (7 - (bit & 7)));
  };
  put(0b0100, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  // The last half of a byte says that this is the end.
  for (let at = (bit + 4) >> 3, odd = false; at < made.length; at += 1, odd = !odd) made[at] = odd ? 0x11 : 0xec;
  return made;
}

/** Products in the field of 256 elements. */
function product(one: number, other: number): number {
  let result = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    result = (result << 1) ^ ((result >> 7) * 0x11d);
    if ((other >> bit) & 1) result ^= one;
  }
  return result;
}

/** Reed and Solomon's divisor of a degree, without its first term. */
function divisor(degree: number): number[] {
  const made = new Array<number>(degree).fill(0);
  made[degree - 1] = 1;
  for (let step = 0, root = 1; step < degree; step += 1, root = product(root, 2)) {
    for (let at = 0; at < degree; at += 1) made[at] = product(made[at] ?? 0, root) ^ (made[at + 1] ?? 0);
  }
  return made;
}

/** Blocks with their correction, a byte of each in turn. */
function interleaved(version: number, data: Uint8Array): number[] {
  const { length, count } = block(version);
  const by = divisor(length);
  const short = Math.floor(size(version) / count) - length, shorts = count - (size(version) % count);
  const blocks = Array.from({ length: count }, (_, at) => {
    const begin = at * short + Math.max(0, at - shorts);
    return data.subarray(begin, begin + short + (at < shorts ? 0 : 1));
  });
  const rests = blocks.map((bytes) => {
    const rest = new Array<number>(length).fill(0);
    for (const byte of bytes) {
      const factor = byte ^ (rest.shift() ?? 0);
      rest.push(0);
      for (const [at, value] of by.entries()) rest[at] = (rest[at] ?? 0) ^ product(value, factor);
    }
    return rest;
  });
  const inTurn = (lists: ArrayLike<number>[], longest: number) =>
    Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
  return [...inTurn(blocks, short + 1), ...inTurn(rests, length)];
}

class Code {
  readonly #version: number;
  readonly #side: number;
  readonly #dark: boolean[][];
  /** Modules that have a place of their own, and are not masked. */
  readonly #fixed: boolean[][];

  constructor(version: number) {
    this.#version = version;
    this.#side = 17 + 4 * version;
    const rows = () => Array.from({ length: this.#side }, () => new Array<boolean>(this.#side).fill(false));
    [this.#dark, this.#fixed] = [rows(), rows()];
    const last = this.#side - 1;
    for (let at = 0; at <= last; at += 1) {
      this.#set(at, 6, at % 2 === 0);
      this.#set(6, at, at % 2 === 0);
    }
    for (const [x, y] of [[3, 3], [last - 3, 3], [3, last - 3]] as const) this.#square(x, y, 4);
    const marks = this.#marks();
    for (const x of marks) for (const y of marks) if (!this.#isCorner(x, y)) this.#square(x, y, 2);
    this.#tellMask(this.#dark, 0);
    this.#tellVersion();
  }

  /** Squares in squares: of a corner with a light border, or a small one. */
  #square(middleX: number, middleY: number, reach: number): void {
    for (let x = -reach; x <= reach; x += 1) {
      for (let y = -reach; y <= reach; y += 1) {
        const distance = Math.max(Math.abs(x), Math.abs(y));
        this.#set(middleX + x, middleY + y, reach === 4 ? distance !== 2 && distance !== 4 : distance !== 1);
      }
    }
  }

  #marks(): number[] {
    if (this.#version === 1) return [];
    const count = Math.floor(this.#version / 7) + 2;
    const step = this.#version === 32 ? 26 : Math.ceil((4 * this.#version + 4) / (2 * count - 2)) * 2;
    return [6, ...Array.from({ length: count - 1 }, (_, at) => this.#side - 7 - step * at).reverse()];
  }

  #isCorner(x: number, y: number): boolean {
    const far = this.#side - 7;
    return (x === 6 && y === 6) || (x === 6 && y === far) || (x === far && y === 6);
  }

  #tellVersion(): void {
    if (this.#version < 7) return;
    let rest = this.#version;
    for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (this.#version << 12) | rest;
    for (let at = 0; at < 18; at += 1) {
      const [along, across] = [this.#side - 11 + (at % 3), Math.floor(at / 3)];
      this.#set(along, across, ((bits >> at) & 1) === 1);
      this.#set(across, along, ((bits >> at) & 1) === 1);
    }
  }

  /** Says, twice, which correction there is and which mask. */
  #tellMask(rows: boolean[][], mask: number): void {
    const said = (1 << 3) | mask;
    let rest = said;
    for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((said << 10) | rest) ^ 0x5412;
    for (let at = 0; at < 15; at += 1) {
      const isDark = ((bits >> at) & 1) === 1;
      const near = at < 6 ? at : at < 8 ? at + 1 : 14 - at;
      if (at < 8) this.#set(8, near, isDark, rows);
      else this.#set(at === 8 ? 7 : near, 8, isDark, rows);
      if (at < 8) this.#set(this.#side - 1 - at, 8, isDark, rows);
      else this.#set(8, this.#side - 15 + at, isDark, rows);
    }
    this.#set(8, this.#side - 8, true, rows);
  }

  #set(x: number, y: number, isDark: boolean, rows = this.#dark): void {
    const [row, fixed] = [rows[y], this.#fixed[y]];
    if (!row || !fixed || x < 0 || x >= this.#side) return;
    row[x] = isDark;
    fixed[x] = true;
  }

  /** Puts bytes into the free modules: up and down in columns of two, from the right. */
  fill(bytes: number[]): void {
    let bit = 0;
    for (let right = this.#side - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.#side; step += 1) {
        for (const x of [right, right - 1]) {
          const y = ((right + 1) & 2) === 0 ? this.#side - 1 - step : step;
          const row = this.#dark[y];
          if (!row || this.#fixed[y]?.[x]) continue;
          row[x] = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
          bit += 1;
        }
      }
    }
  }

  masked(mask: (x: number, y: number) => boolean, number: number): boolean[][] {
    const rows = this.#dark.map((row, y) => row.map((isDark, x) => (this.#fixed[y]?.[x] ? isDark : isDark !== mask(x, y))));
    this.#tellMask(rows, number);
    return rows;
  }
}

/** How hard a code is to read: long lines, areas, what looks like a corner, and too much of one colour. */
function penalty(rows: boolean[][]): number {
  const lines = [rows, rows.map((_, x) => rows.map((row) => row[x] ?? false))].flat().map((line) => line.map(Number).join(""));
  const count = (pattern: RegExp, cost: (found: string) => number) =>
    lines.reduce((sum, line) => [...line.matchAll(pattern)].reduce((sum, [found]) => sum + cost(found ?? ""), sum), 0);
  let sum = count(/0{5,}|1{5,}/g, (run) => run.length - 2) + count(/(?=00001011101|10111010000)/g, () => 40);
  let dark = 0;
  for (const [y, row] of rows.entries()) {
    for (const [x, isDark] of row.entries()) {
      dark += Number(isDark);
      if (x > 0 && y > 0 && isDark === row[x - 1] && isDark === rows[y - 1]?.[x] && isDark === rows[y - 1]?.[x - 1]) sum += 3;
    }
  }
  return sum + Math.floor(Math.abs((dark / rows.length ** 2) * 20 - 10)) * 10;
}
