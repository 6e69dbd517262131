/**
 * The binary format of per-frame values in messages and in storage. A table is split into chunks of rows, and each
 * chunk can be decoded independently. A chunk is
 *
 *     u8  1, the format version          u8  1: body deflated (RFC 1951), 0: body stored
 *     u16 columns (little-endian)        u32 rows
 *     per column: u8 bytes per value (4, 7 or 8), u8 length of its name, the name
 *     body: the rows' frame numbers as a column of 4 bytes, then the columns
 *
 * A value of 4 bytes: millionths, as the difference from the row before (zigzag, modulo 2^32); of 7: millionths up to
 * 2^53; of 8: a float. A column stores the first byte of every row, then the second byte of every row, and so on: in
 * one measurement this deflated to 2.3 bytes per value, and row by row to 2.8.
 */
import { promisify } from "node:util";
import { deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";
import { Failure } from "../../platform/failure.ts";
import { getFloats, getMicros, getWhole, putFloats, putMicros, putWhole } from "./byte-planes.ts";
import { type ColumnValues, compact, FrameTable, isCompact, isMicros } from "./frame-table.ts";

const VERSION = 1;
const HEADER_BYTES = 8;
const NUMBER_BYTES = 4;
const WIDEST = 8;
/** 24 models and features with up to 40 columns each fit. */
const MAX_COLUMNS = 1024;
/**
 * Limit of an inflated body in bytes: without it, a deflated chunk of 900 KB could inflate to a thousand
 * times its size. Chunks are filled by the size of their rows before deflation, so no body exceeds the
 * largest chunk that is sent.
 */
const MAX_BODY_BYTES = 2 ** 20;
/**
 * Matches the names of libvmaf's metrics and of models, but none that is special in a JavaScript object (__proto__).
 */
const METRIC_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:=-]{0,199}$/;

export interface EncodedRows {
  readonly rows: Uint8Array;
  readonly rowCount: number;
}

/**
 * Encodes the rows of a table in chunks of at most `maxBytes`, in order; an empty table has no chunks. Values that
 * are millionths up to 9·10⁹ take under 8 bytes each; values of real scores take 2 to 3.
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
      `The scorer returned too many metrics, none, or invalid metric names: ${metrics.join(" ")}.`,
    );
  const names = metrics.reduce((sum, name) => sum + 2 + name.length, 0);
  const rowBytes = NUMBER_BYTES + WIDEST * metrics.length;
  const room = Math.min(maxBytes - HEADER_BYTES - names, MAX_BODY_BYTES);
  const perChunk = Math.floor(room / rowBytes);
  if (perChunk < 1) throw new Failure("INTERNAL", `A row does not fit into a chunk of ${maxBytes} bytes.`);
  for (let from = 0; from < table.length; from += perChunk) {
    const to = Math.min(table.length, from + perChunk);
    yield { rows: encodeChunk(table, from, to), rowCount: to - from };
  }
}

/** A column as the header of its chunk describes it. */
interface ColumnHead {
  readonly name: string;
  readonly width: number;
}

function encodeChunk(table: FrameTable, from: number, to: number): Uint8Array {
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

/** The smallest width that holds every value of a column without loss. */
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

/** Decodes the rows of one chunk. Throws INVALID_REQUEST if the bytes are not a chunk. */
export function decodeRows(bytes: Uint8Array): FrameTable {
  const head = readHead(bytes);
  return tableOf(head, head.packed ? inflate(head) : head.body);
}

/** The sizes that the header of a chunk states. */
export interface Claim {
  readonly rows: number;
  /** Size of its inflated body in bytes. */
  readonly bytes: number;
}

/** Reads the sizes from the header alone. Throws INVALID_REQUEST if they exceed the limits of a chunk. */
export function claimOf(chunk: Uint8Array): Claim {
  const { rows, size } = readHead(chunk);
  return { rows, bytes: size };
}

/** Validates a chunk. Throws INVALID_REQUEST as decodeRows does. */
export function checkRows(bytes: Uint8Array): void {
  const head = readHead(bytes);
  numbersOf(head, head.packed ? inflate(head) : head.body);
}

/** Validates a chunk as checkRows does, but inflates it on another thread. The bytes must not change meanwhile. */
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

/** Returns the frame numbers, which must increase. Values need no check: any bytes of the right length are valid. */
function numbersOf({ rows, size }: Head, body: Buffer): Uint32Array<ArrayBuffer> {
  if (body.length !== size) throw invalidChunk(`it has ${body.length} bytes of values instead of ${size}`);
  const numbers = new Uint32Array(getWhole(body, 0, rows));
  if (numbers.some((number, row) => row > 0 && number <= (numbers[row - 1] ?? 0)))
    throw invalidChunk("its frame numbers do not increase");
  return numbers;
}

interface Head {
  readonly rows: number;
  readonly columns: readonly ColumnHead[];
  readonly packed: boolean;
  /** As received. */
  readonly body: Buffer;
  /** Size of the inflated body in bytes. */
  readonly size: number;
}

function readHead(bytes: Uint8Array): Head {
  const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (chunk.length < HEADER_BYTES) throw invalidChunk(`it has only ${chunk.length} bytes`);
  const [version, packed] = [chunk.readUInt8(0), chunk.readUInt8(1)];
  const [count, rows] = [chunk.readUInt16LE(2), chunk.readUInt32LE(4)];
  if (version !== VERSION || packed > 1) throw invalidChunk(`it has format version ${version}.${packed}`);
  if (count < 1 || count > MAX_COLUMNS || rows < 1)
    throw invalidChunk(`it has ${rows} rows of ${count} metrics`);
  const columns: ColumnHead[] = [];
  let at = HEADER_BYTES;
  for (let column = 0; column < count; column++) {
    const [width = 0, length = 0] = chunk.subarray(at, at + 2);
    const name = chunk.toString("latin1", at + 2, at + 2 + length);
    if (![4, 7, 8].includes(width) || !METRIC_NAME.test(name))
      throw invalidChunk(`its metric ${column + 1} is damaged`);
    columns.push({ name, width });
    at += 2 + length;
  }
  if (at > chunk.length || new Set(columns.map(({ name }) => name)).size < count)
    throw invalidChunk("its list of metrics is damaged");
  const size = bodyBytes(rows, columns);
  if (size > MAX_BODY_BYTES) throw invalidChunk(`it has ${rows} rows of ${count} metrics`);
  return { rows, columns, packed: packed === 1, body: chunk.subarray(at), size };
}

/** Limits the output to `size` bytes. */
function inflating({ size }: Head) {
  return { maxOutputLength: size, info: true } as const;
}

function inflate(head: Head): Buffer {
  let answer: unknown;
  try {
    answer = inflateRawSync(head.body, inflating(head));
  } catch {
    throw notInflatable();
  }
  return wholeOf(head, answer);
}

const inflateOnThread = promisify<Buffer, object, unknown>(inflateRaw);

async function inflateElsewhere(head: Head): Promise<Buffer> {
  const answer = await inflateOnThread(head.body, inflating(head)).catch(() => {
    throw notInflatable();
  });
  return wholeOf(head, answer);
}

/** The value that zlib returns with the option `info`; its type declarations omit it. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function wholeOf({ body }: Head, answer: unknown): Buffer {
  const { buffer, engine } = answer as Inflated;
  if (engine.bytesWritten !== body.length) throw invalidChunk("it has extra bytes after its values");
  return buffer;
}

function notInflatable(): Failure {
  return invalidChunk("its values do not inflate");
}

function invalidChunk(why: string): Failure {
  return new Failure("INVALID_REQUEST", `A chunk of per-frame values cannot be read: ${why}.`);
}
