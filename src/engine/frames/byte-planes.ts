/**
 * Stores columns of numbers as planes of bytes: the lowest byte of every row, then the next byte of every
 * row, and so on. The high bytes of adjacent rows are similar; side by side they deflate better.
 */
import { MICRO } from "./frame-table.ts";

/**
 * Writes 32-bit integers, 4 bytes each, as differences modulo 2^32, so that no difference overflows. Returns the end
 * offset.
 */
export function putWhole(to: Buffer, at: number, values: Int32Array): number {
  const words = new Uint32Array(values.length);
  let last = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? 0;
    const difference = (value - last) | 0;
    words[row] = (difference << 1) ^ (difference >> 31);
    last = value;
  }
  return putPlanes(to, at, words, 4);
}

export function getWhole(from: Buffer, at: number, rows: number): Int32Array {
  const words = getPlanes(from, at, rows, 4);
  const values = new Int32Array(rows);
  let last = 0;
  for (let row = 0; row < rows; row++) {
    const word = words[row] ?? 0;
    last = (last + ((word >>> 1) ^ -(word & 1))) | 0;
    values[row] = last;
  }
  return values;
}

/** The 24-bit high word that marks "not a finite number". */
const NO_NUMBER = 0x800000;
const WORD = 2 ** 32;

/**
 * Writes floats that are whole millionths (isMicros), 7 bytes each: 56 bits, two's complement. Returns the end offset.
 */
export function putMicros(to: Buffer, at: number, values: ArrayLike<number>): number {
  const [low, high] = [new Uint32Array(values.length), new Uint32Array(values.length)];
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? Number.NaN;
    const micro = Math.round(value * MICRO);
    low[row] = Number.isFinite(value) ? micro - Math.floor(micro / WORD) * WORD : 0;
    high[row] = Number.isFinite(value) ? Math.floor(micro / WORD) : NO_NUMBER;
  }
  return putPlanes(to, putPlanes(to, at, low, 4), high, 3);
}

export function getMicros(from: Buffer, at: number, rows: number): Float64Array {
  const low = getPlanes(from, at, rows, 4);
  const high = getPlanes(from, at + 4 * rows, rows, 3);
  return Float64Array.from(high, (word, row) => {
    if (word === NO_NUMBER) return Number.NaN;
    const signed = word & NO_NUMBER ? word - 2 * NO_NUMBER : word;
    return (signed * WORD + (low[row] ?? 0)) / MICRO;
  });
}

/** Writes any floats, 8 bytes each. Returns the end offset. */
export function putFloats(to: Buffer, at: number, values: ArrayLike<number>): number {
  const pairs = new Uint32Array(Float64Array.from(values).buffer);
  const word = (half: number): Uint32Array =>
    Uint32Array.from(values, (_, row) => pairs[2 * row + half] ?? 0);
  return putPlanes(to, putPlanes(to, at, word(0), 4), word(1), 4);
}

export function getFloats(from: Buffer, at: number, rows: number): Float64Array {
  const [low, high] = [getPlanes(from, at, rows, 4), getPlanes(from, at + 4 * rows, rows, 4)];
  const pairs = new Uint32Array(2 * rows);
  for (let row = 0; row < rows; row++) {
    pairs[2 * row] = low[row] ?? 0;
    pairs[2 * row + 1] = high[row] ?? 0;
  }
  return new Float64Array(pairs.buffer);
}

function putPlanes(to: Buffer, at: number, words: Uint32Array, bytes: number): number {
  let end = at;
  for (let shift = 0; shift < 8 * bytes; shift += 8) {
    for (const word of words) to[end++] = word >>> shift;
  }
  return end;
}

function getPlanes(from: Buffer, at: number, rows: number, bytes: number): Uint32Array {
  const words = new Uint32Array(rows);
  let next = at;
  for (let shift = 0; shift < 8 * bytes; shift += 8) {
    for (let row = 0; row < rows; row++) words[row] = (words[row] ?? 0) | ((from[next++] ?? 0) << shift);
  }
  return words;
}
