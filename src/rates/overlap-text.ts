/** The overlap of two ladders as text. */

/** Returns a percentage, rounded down, so that a share below the limit of 75 % does not read as the limit: "74 %". */
export function overlapText(overlap: number): string {
  return `${Math.floor(overlap * 100 + 1e-9)} %`;
}
