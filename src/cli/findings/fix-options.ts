/** Writes fixes as options of `svc score`. */
import type { Fix } from "../../engine/contract/finding.ts";
import { areaText } from "../../engine/contract/picture.ts";
import { SIDES, type Side } from "../../engine/contract/request.ts";

/** Returns the words of the options, in the order of the command's help; empty if there is none. */
export function fixOptions(fix: Fix): readonly string[] {
  const { offset, runs, crop = {}, mirror = {}, rangeOf = {}, matrixOf = {} } = fix;
  const of = <T>(
    flag: string,
    values: Readonly<Partial<Record<Side, T | undefined>>>,
    text: (value: T) => string,
  ) =>
    SIDES.flatMap((side) => {
      const value = values[side];
      return value === undefined ? [] : [flag, `${side}=${text(value)}`];
    });
  return [
    ...(offset === undefined ? [] : ["--offset", String(offset)]),
    ...(runs === undefined
      ? []
      : ["--runs", runs.map((run) => `${run.reference}:${run.distorted}:${run.count}`).join(",")]),
    ...of("--crop", crop, areaText),
    ...of("--mirror", mirror, lower),
    ...of("--range-of", rangeOf, lower),
    ...of("--matrix-of", matrixOf, lower),
  ];
}

function lower(word: string): string {
  return word.toLowerCase();
}
