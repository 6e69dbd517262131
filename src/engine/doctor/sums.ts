/**
 * Sums over samples. Nothing follows a loop here but its result: the compiler of Node.js optimizes a long loop while it
 * runs, knows nothing yet of what follows it, and would give the code up at its end each time. Each takes arrays of one type, for which it is compiled.
 */

/** 0 of none. */
export function meanOf(values: Float32Array): number {
  return values.length > 0 ? sumOf(values) / values.length : 0;
}

function sumOf(values: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum;
}

/** The scalar product. */
export function productOf(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

/** The same of whole numbers of 8 bits. */
export function productOfBytes(one: Int8Array, other: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

/** Mean absolute difference of bytes. */
export function meanDifference(one: Uint8Array, other: Uint8Array): number {
  return differenceOf(one, other) / one.length;
}

function differenceOf(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs((one[i] as number) - (other[i] as number));
  return sum;
}

/** Adds values to sums, each to its own. */
export function addTo(sums: Float64Array, values: Float32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] as number) + (values[i] as number);
}
