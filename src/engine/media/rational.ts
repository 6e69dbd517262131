/** Fractions for frame rates and time bases. */
export interface Rational {
  readonly num: number;
  readonly den: number;
}

/** Parses "30000/1001", "25", "29.97" or "25:1" as a positive fraction; undefined if it is not one. */
export function parseRational(text: string): Rational | undefined {
  const match = /^(\d{1,10}(?:\.\d{1,9})?)(?:[/:](\d{1,10}))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, top = "", bottom = "1"] = match;
  const decimals = top.split(".")[1]?.length ?? 0;
  const scale = 10 ** decimals;
  const num = Math.round(Number(top) * scale);
  const den = Number(bottom) * scale;
  return num > 0 && den > 0 ? reduce({ num, den }) : undefined;
}

/** Reduces to lowest terms. */
function reduce({ num, den }: Rational): Rational {
  let [a, b] = [num, den];
  while (b > 0) [a, b] = [b, a % b];
  return { num: num / a, den: den / a };
}

export function toNumber({ num, den }: Rational): number {
  return num / den;
}

/** Formats a fraction as "25/1". */
export function formatRational({ num, den }: Rational): string {
  return `${num}/${den}`;
}
