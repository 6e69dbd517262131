/**
 * Sums over samples. Each loop is the last statement of a function, except for the use of its result. Node.js
 * optimizes a long loop while it runs, without knowing the code after it, and would discard the optimized code each
 * time the loop ends. Each function takes arrays of one type, for which it is compiled.
 */

/** The mean; 0 if there are no values. */
export function meanOf(values: Float32Array): number {
  return values.length > 0 ? sumOf(values) / values.length : 0;
}

function sumOf(values: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum;
}

/** The scalar product of two vectors. */
export function productOf(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

/** The same for 8-bit integers. */
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

/** Adds each value to the sum at its index. */
export function addTo(sums: Float64Array, values: Float32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] as number) + (values[i] as number);
}
