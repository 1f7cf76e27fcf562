// A ZIP archive, made while its files come in (PKWARE's APPNOTE, 4.3). Only what is under way is in the page's memory: what is done is in
// blobs, which browsers keep on the disk when they are large.

// Debian's TypeScript does not know it yet.
interface Compression {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<BufferSource>;
}
const { CompressionStream } = globalThis as unknown as { CompressionStream: new (format: "deflate-raw") => Compression };

const largest = 0xffff_ffff;

/** The remainders of CRC-32 for each byte. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb8_8320 : rest >>> 1;
  return rest;
});

export class Archive {
  /** Bytes so far, before they were made smaller. */
  size = 0;
  readonly #pieces: BlobPart[] = [];
  readonly #directory: BlobPart[] = [];
  readonly #names = new Set<string>();
  /** Where the next file begins. */
  #offset = 0;
  #file: Packing | null = null;

  /** Adds bytes to a file, after those that it has already. A file that others have followed is over. */
  async append(name: string, bytes: Uint8Array): Promise<void> {
    if (this.#file?.name !== name) {
      await this.#end();
      if (this.#names.has(name)) throw new RangeError(`${name} is in the archive already`);
      this.#names.add(name);
      this.#file = new Packing(name);
    }
    this.size += bytes.length;
    await this.#file?.write(bytes);
  }

  async finish(): Promise<Blob> {
    await this.#end();
    const directory = new Blob(this.#directory);
    const count = this.#names.size;
    const end = record([[4, 0x0605_4b50], [2, 0], [2, 0], [2, count], [2, count], [4, directory.size], [4, this.#offset], [2, 0]]);
    return new Blob([...this.#pieces, directory, end], { type: "application/zip" });
  }

  async #end(): Promise<void> {
    if (!this.#file) return;
    const { head, entry, packed } = await this.#file.end(this.#offset);
    this.#pieces.push(head, packed);
    this.#directory.push(entry);
    this.#offset += head.length + packed.size;
    this.#file = null;
    if (this.#offset > largest) throw new RangeError("the archive is too large");
  }
}

/** The file that is being added. */
class Packing {
  #sum = largest;
  #size = 0;
  readonly #writer: WritableStreamDefaultWriter<BufferSource>;
  readonly #packed: Promise<Blob>;

  constructor(readonly name: string) {
    const stream = new CompressionStream("deflate-raw");
    this.#writer = stream.writable.getWriter();
    this.#packed = new Response(stream.readable).blob();
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (const byte of bytes) this.#sum = (this.#sum >>> 8) ^ (remainders[(this.#sum ^ byte) & 0xff] ?? 0);
    this.#size += bytes.length;
    if (this.#size > largest) throw new RangeError(`${this.name} is too large`);
    await this.#writer.write(bytes);
  }

  /** What stands before the file, its entry in the directory, and the file itself.
   *  @param offset of the file in the archive */
  async end(offset: number): Promise<{ head: Uint8Array; entry: Uint8Array; packed: Blob }> {
    await this.#writer.close();
    const packed = await this.#packed;
    const name = new TextEncoder().encode(this.name);
    const now = new Date();
    const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
    const date = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
    // Version 2.0; names in UTF-8; deflated.
    const shared: Field[] = [
      [2, 20], [2, 0x0800], [2, 8], [2, time], [2, date], [4, (this.#sum ^ largest) >>> 0], [4, packed.size], [4, this.#size],
      [2, name.length], [2, 0],
    ];
    return {
      packed,
      head: record([[4, 0x0403_4b50], ...shared], name),
      entry: record([[4, 0x0201_4b50], [2, 20], ...shared, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]], name),
    };
  }
}

type Field = [bytes: 2 | 4, value: number];

/** Numbers, the lowest byte first, and what follows them. */
function record(fields: Field[], rest = new Uint8Array()): Uint8Array {
  const length = fields.reduce((sum, [bytes]) => sum + bytes, 0);
  const made = new Uint8Array(length + rest.length);
  const view = new DataView(made.buffer);
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  made.set(rest, length);
  return made;
}
