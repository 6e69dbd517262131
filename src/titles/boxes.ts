/** Boxes of MP4 (ISO/IEC 14496-12) in memory. */

export interface Box {
  readonly type: string;
  /** Offset of its header. */
  readonly start: number;
  /** Offset of its content. */
  readonly body: number;
  readonly end: number;
}

/** The bytes violate the standard of the container. */
export class Malformed extends Error {}

/** Yields the boxes between two offsets. Throws Malformed. */
export function* boxesIn(bytes: Buffer, start = 0, end = bytes.length): Generator<Box> {
  for (let at = start; at < end; ) {
    if (end - at < 8) throw new Malformed("a box is cut off");
    const small = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (small === 1 && end - at < 16) throw new Malformed(`the box ${type} is cut off`);
    const header = small === 1 ? 16 : 8;
    const size = small === 0 ? end - at : small === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : small;
    if (size < header || size > end - at) throw new Malformed(`the box ${type} is cut off`);
    yield { type, start: at, body: at + header, end: at + size };
    at += size;
  }
}

/** Yields the boxes on a path of types, such as moov, trak. */
export function* boxesAt(bytes: Buffer, path: readonly string[], within?: Box): Generator<Box> {
  const [type, ...rest] = path;
  for (const box of boxesIn(bytes, within?.body, within?.end)) {
    if (box.type !== type) continue;
    if (rest.length === 0) yield box;
    else yield* boxesAt(bytes, rest, box);
  }
}

/** Returns the only box on a path. Throws Malformed if there is none. */
export function boxAt(bytes: Buffer, path: readonly string[], within?: Box): Box {
  for (const box of boxesAt(bytes, path, within)) return box;
  throw new Malformed(`there is no box ${path.join("/")}`);
}

/** Reads the fields of a full box one after the other. Throws Malformed beyond its end. */
export class Fields {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  readonly version: number;
  readonly flags: number;

  constructor(bytes: Buffer, { body, end }: Box) {
    this.#bytes = bytes;
    this.#end = end;
    this.#at = body;
    const head = this.u32();
    this.version = head >>> 24;
    this.flags = head & 0xff_ff_ff;
  }

  /** Offset of the next field. */
  get at(): number {
    return this.#at;
  }

  u32(): number {
    return this.#bytes.readUInt32BE(this.#take(4));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64BE(this.#take(8));
  }

  skip(bytes: number): void {
    this.#take(bytes);
  }

  #take(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#end) throw new Malformed("a box is too short");
    this.#at = at + bytes;
    return at;
  }
}
