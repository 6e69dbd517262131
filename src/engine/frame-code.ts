/**
 * The code in which per-frame values travel and are stored: a table's rows in pieces, each of
 * which can be read by itself. A piece is
 *
 *     u8  1, the code's version          u8  1: body deflated (RFC 1951), 0: body as it is
 *     u16 columns (little-endian)        u32 rows
 *     per column: u8 bytes of a value (4, 7 or 8), u8 bytes of its name, the name
 *     body: the rows' frame numbers as a column of 4 bytes, then the columns
 *
 * 4 bytes: millionths, as differences from the row before (zigzag, modulo 2^32); 7: millionths
 * up to 2^53; 8: a float. The first byte of every row stands first, then the second of every
 * row …: in one measurement deflate then made 2.3 bytes a value of what was 2.8 row by row.
 */
import { promisify } from "node:util";
import { deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";
import { Failure } from "../platform/failure.ts";
import { getFloats, getMicros, getWhole, putFloats, putMicros, putWhole } from "./byte-planes.ts";
import { type ColumnValues, compact, FrameTable, isCompact, isMicros } from "./frames.ts";

const VERSION = 1;
const HEADER_BYTES = 8;
const NUMBER_BYTES = 4;
const WIDEST = 8;
/** 24 models and features have up to 40 columns each. */
const MAX_COLUMNS = 1024;
/**
 * What a piece may become: a deflated one of 900 KB could else be a thousand times that. Pieces are filled by what their
 * rows take before they are deflated, so that none needs more than the largest that is sent.
 */
const MAX_BODY_BYTES = 2 ** 20;
/** libvmaf's names and those of models: never one that means something to an object (__proto__). */
const METRIC_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:=-]{0,199}$/;

export interface EncodedRows {
  readonly rows: Uint8Array;
  readonly rowCount: number;
}

/**
 * A table's rows in pieces of at most `maxBytes`, in order; none for an empty table. Values that
 * are millionths up to 9·10⁹ take under 8 bytes each, those of real scores 2 to 3.
 */
export function* encodeRows(table: FrameTable, maxBytes: number): Generator<EncodedRows> {
  const { metrics } = table;
  if (
    metrics.length === 0 ||
    metrics.length > MAX_COLUMNS ||
    !metrics.every((name) => METRIC_NAME.test(name))
  )
    throw new Failure(
      "SCORER_FAILED",
      `The scorer gave metrics that cannot be told on: ${metrics.join(" ")}.`,
    );
  const names = metrics.reduce((sum, name) => sum + 2 + name.length, 0);
  const rowBytes = NUMBER_BYTES + WIDEST * metrics.length;
  const room = Math.min(maxBytes - HEADER_BYTES - names, MAX_BODY_BYTES);
  const perPiece = Math.floor(room / rowBytes);
  if (perPiece < 1) throw new Failure("INTERNAL", `A row does not fit into a piece of ${maxBytes} bytes.`);
  for (let from = 0; from < table.length; from += perPiece) {
    const to = Math.min(table.length, from + perPiece);
    yield { rows: encodePiece(table, from, to), rowCount: to - from };
  }
}

/** A column of a piece as its header tells it. */
interface ColumnHead {
  readonly name: string;
  readonly width: number;
}

function encodePiece(table: FrameTable, from: number, to: number): Uint8Array {
  const columns = table.metrics.map((name) => {
    const values = table.column(name, from, to);
    return { name, values, width: widthOf(values) };
  });
  const body = Buffer.alloc(bodyBytes(to - from, columns));
  let at = putWhole(body, 0, new Int32Array(table.numbers(from, to)));
  for (const { values, width } of columns) {
    if (width === 4) at = putWhole(body, at, asMicros(values));
    else if (width === 7) at = putMicros(body, at, values);
    else at = putFloats(body, at, values);
  }
  const deflated = deflateRawSync(body);
  const packed = deflated.length < body.length;
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt8(VERSION, 0);
  head.writeUInt8(packed ? 1 : 0, 1);
  head.writeUInt16LE(columns.length, 2);
  head.writeUInt32LE(to - from, 4);
  const names = columns.map(({ name, width }) =>
    Buffer.concat([Buffer.from([width, name.length]), Buffer.from(name, "latin1")]),
  );
  return Buffer.concat([head, ...names, packed ? deflated : body]);
}

/** The fewest bytes that hold every value of a column to the last digit. */
function widthOf(values: ColumnValues): number {
  if (values instanceof Int32Array || values.every(isCompact)) return 4;
  return values.every(isMicros) ? 7 : WIDEST;
}

function asMicros(values: ColumnValues): Int32Array {
  return values instanceof Int32Array ? values : compact(values);
}

function bodyBytes(rows: number, columns: readonly ColumnHead[]): number {
  return rows * columns.reduce((sum, { width }) => sum + width, NUMBER_BYTES);
}

/** The rows of one piece. Throws INVALID_REQUEST for bytes that are none. */
export function decodeRows(bytes: Uint8Array): FrameTable {
  const head = readHead(bytes);
  return tableOf(head, head.packed ? inflate(head) : head.body);
}

/** What a piece says that it is. */
export interface Claim {
  readonly rows: number;
  /** Bytes of its body, inflated. */
  readonly bytes: number;
}

/** In no time. Throws INVALID_REQUEST for what says more than a piece may have. */
export function claimOf(piece: Uint8Array): Claim {
  const { rows, size } = readHead(piece);
  return { rows, bytes: size };
}

/** Throws as decodeRows does. */
export function checkRows(bytes: Uint8Array): void {
  const head = readHead(bytes);
  numbersOf(head, head.packed ? inflate(head) : head.body);
}

/** As checkRows; inflates on another thread, and the bytes must not change meanwhile. */
export async function checkRowsElsewhere(bytes: Uint8Array): Promise<void> {
  const head = readHead(bytes);
  numbersOf(head, head.packed ? await inflateElsewhere(head) : head.body);
}

function tableOf(head: Head, body: Buffer): FrameTable {
  const numbers = numbersOf(head, body);
  let at = numbers.length * NUMBER_BYTES;
  const values = new Map<string, ColumnValues>();
  for (const { name, width } of head.columns) {
    const get = width === 4 ? getWhole : width === 7 ? getMicros : getFloats;
    values.set(name, get(body, at, numbers.length));
    at += numbers.length * width;
  }
  return FrameTable.ofColumns(numbers, values);
}

/** Any bytes of the right number are values; the numbers of frames rise. */
function numbersOf({ rows, size }: Head, body: Buffer): Uint32Array<ArrayBuffer> {
  if (body.length !== size) throw rubbish(`${body.length} bytes of values instead of ${size}`);
  const numbers = new Uint32Array(getWhole(body, 0, rows));
  if (numbers.some((number, row) => row > 0 && number <= (numbers[row - 1] ?? 0)))
    throw rubbish("frame numbers that do not rise");
  return numbers;
}

interface Head {
  readonly rows: number;
  readonly columns: readonly ColumnHead[];
  readonly packed: boolean;
  /** As it came. */
  readonly body: Buffer;
  /** Bytes that it has inflated. */
  readonly size: number;
}

function readHead(bytes: Uint8Array): Head {
  const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (piece.length < HEADER_BYTES) throw rubbish(`${piece.length} bytes`);
  const [version, packed] = [piece.readUInt8(0), piece.readUInt8(1)];
  const [count, rows] = [piece.readUInt16LE(2), piece.readUInt32LE(4)];
  if (version !== VERSION || packed > 1) throw rubbish(`version ${version}.${packed}`);
  if (count < 1 || count > MAX_COLUMNS || rows < 1) throw rubbish(`${rows} rows of ${count} metrics`);
  const columns: ColumnHead[] = [];
  let at = HEADER_BYTES;
  for (let column = 0; column < count; column++) {
    const [width = 0, length = 0] = piece.subarray(at, at + 2);
    const name = piece.toString("latin1", at + 2, at + 2 + length);
    if (![4, 7, 8].includes(width) || !METRIC_NAME.test(name)) throw rubbish(`metric ${column + 1} damaged`);
    columns.push({ name, width });
    at += 2 + length;
  }
  if (at > piece.length || new Set(columns.map(({ name }) => name)).size < count)
    throw rubbish("its list of metrics damaged");
  const size = bodyBytes(rows, columns);
  if (size > MAX_BODY_BYTES) throw rubbish(`${rows} rows of ${count} metrics`);
  return { rows, columns, packed: packed === 1, body: piece.subarray(at), size };
}

/** Never more than `size` bytes, whatever they claim to be. */
function inflating({ size }: Head) {
  return { maxOutputLength: size, info: true } as const;
}

function inflate(head: Head): Buffer {
  let answer: unknown;
  try {
    answer = inflateRawSync(head.body, inflating(head));
  } catch {
    throw noInflating();
  }
  return wholeOf(head, answer);
}

const inflateOnThread = promisify<Buffer, object, unknown>(inflateRaw);

async function inflateElsewhere(head: Head): Promise<Buffer> {
  const answer = await inflateOnThread(head.body, inflating(head)).catch(() => {
    throw noInflating();
  });
  return wholeOf(head, answer);
}

/** What zlib answers when it is asked for `info`, which its types leave out. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function wholeOf({ body }: Head, answer: unknown): Buffer {
  const { buffer, engine } = answer as Inflated;
  if (engine.bytesWritten !== body.length) throw rubbish("bytes behind its values");
  return buffer;
}

function noInflating(): Failure {
  return rubbish("values that do not inflate");
}

function rubbish(what: string): Failure {
  return new Failure("INVALID_REQUEST", `Rows of frame values cannot be read: the piece has ${what}.`);
}
