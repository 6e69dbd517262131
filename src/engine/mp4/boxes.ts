/** Parses the boxes of an MP4 or MOV in memory. Nothing in them is trusted: a wrong size ends the parsing. */

export interface Box {
  readonly type: string;
  /** Content without the head. */
  readonly body: Buffer;
}

/** Bytes of a box's head, and of a head with a 64-bit size. */
export const HEAD_BYTES = 8;
export const LARGE_HEAD_BYTES = 16;

/** Limit of boxes in one parent. An index has a few for each track. */
const MAX_BOXES = 1000;

/** The head of a box: its type and size. */
export interface BoxHead {
  readonly type: string;
  readonly headBytes: number;
  /** Size of the box, including its head. */
  readonly bytes: number;
}

/**
 * Reads the head of a box. Returns undefined if it is incomplete or its size is impossible.
 *
 * @param left bytes from its beginning to the end of what contains it
 */
export function boxHead(head: Buffer, left: number): BoxHead | undefined {
  if (head.length < HEAD_BYTES) return undefined;
  const size = head.readUInt32BE(0);
  const type = head.toString("latin1", 4, HEAD_BYTES);
  if (size === 1 && head.length < LARGE_HEAD_BYTES) return undefined;
  const headBytes = size === 1 ? LARGE_HEAD_BYTES : HEAD_BYTES;
  const bytes = size === 0 ? left : size === 1 ? Number(head.readBigUInt64BE(HEAD_BYTES)) : size;
  return bytes < headBytes || bytes > left ? undefined : { type, headBytes, bytes };
}

/** Returns the boxes inside a box's body; undefined if they do not fill it exactly. */
export function boxesIn(body: Buffer): readonly Box[] | undefined {
  const boxes: Box[] = [];
  for (let at = 0; at < body.length; ) {
    const head = boxHead(body.subarray(at, at + LARGE_HEAD_BYTES), body.length - at);
    if (head === undefined || boxes.length === MAX_BOXES) return undefined;
    boxes.push({ type: head.type, body: body.subarray(at + head.headBytes, at + head.bytes) });
    at += head.bytes;
  }
  return boxes;
}

/** Returns the body of the only box of a type; undefined if there is none, or several. */
export function only(boxes: readonly Box[] | undefined, type: string): Buffer | undefined {
  const found = boxes?.filter((box) => box.type === type);
  return found?.length === 1 ? found[0]?.body : undefined;
}

/** Returns a box with this body. */
export function written(type: string, ...body: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES + body.reduce((sum, { length }) => sum + length, 0));
  head.write(type, 4, "latin1");
  return Buffer.concat([head, ...body]);
}
