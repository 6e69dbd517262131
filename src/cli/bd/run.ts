/** Runs `svc bd`: reads the encodes, compares their ladders and prints the deltas. */
import { compareLadders } from "../../rates/comparison.ts";
import { qualityOf } from "../../rates/quality.ts";
import { EXIT, writeAll } from "../exit.ts";
import { readText } from "../input/read-text.ts";
import { quoteName } from "../terminal/escape.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { comparisonJson } from "./json.ts";
import { parsePoints, unusable } from "./points-file.ts";
import { comparisonLines } from "./tables.ts";

export interface BdFlags {
  readonly anchor?: string;
  readonly metric?: readonly string[];
  readonly json?: boolean;
}

/** Compares the ladders of a file and returns the exit code. Throws Failure. */
export async function runBd(name: string, flags: BdFlags, signal: AbortSignal): Promise<number> {
  const input = { what: "the points", unusable: (why: string) => unusable(name, why) };
  const text = await readText(name, process.stdin, signal, input);
  const { encodes, metrics, ignored } = parsePoints(name, text, flags.metric ?? []);
  const ladders = [...new Set(encodes.map(({ ladder }) => ladder))];
  const anchor = anchorOf(name, ladders, flags.anchor);
  const comparison = compareLadders(encodes, metrics.map(qualityOf), anchor);
  const terminal = detectTerminal(process.stdout, process.env);
  const lines = flags.json
    ? comparisonJson(comparison)
    : comparisonLines(comparison, ignored, terminal).map((line) => `${line}\n`);
  await writeAll(process.stdout, lines);
  return comparison.results.some(({ bdRate }) => bdRate !== undefined) ? EXIT.scored : EXIT.input;
}

function anchorOf(name: string, ladders: readonly string[], asked: string | undefined): string {
  const [first = "", second] = ladders;
  if (second === undefined)
    throw unusable(name, `it has one ladder, ${quoteName(first)}, and nothing to compare with it`);
  if (asked === undefined || ladders.includes(asked)) return asked ?? first;
  const known = ladders.slice(0, 10).map(quoteName).join(", ");
  throw unusable(
    name,
    `--anchor: no ladder is named ${quoteName(asked)}. Its ladders: ${known}${ladders.length > 10 ? ", …" : ""}`,
  );
}
