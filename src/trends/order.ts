/** The order of the values of a label, such as releases. */

/**
 * Compares the numbers in two values as numbers: 6 before 7 before 10, 1.9 before 1.10, and dates in their
 * order.
 */
export function naturalOrder(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true }) || (one < other ? -1 : Number(one > other));
}
