/** Advice on a pair that was refused because of findings about its videos. */
import type { Found } from "../../platform/failure.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { claimLines, listLines } from "./finding-lines.ts";
import { fixOptions } from "./fix-options.ts";
import { mismatchIn } from "./message-view.ts";

/** The commands that can follow one that was refused. */
export interface PairCommands {
  /** Returns the refused command with more options, for a shell. */
  readonly scoreWith: (options: readonly string[]) => string;
  /** Whether it already has --fix. */
  readonly hasFix: boolean;
  /** Whether it already has --findings. */
  readonly hasPolicy: boolean;
  /** The `svc doctor` command for the pair, quoted for a shell. */
  readonly doctor: string;
}

/** A job is submitted again with other options. */
const OF_JOB = {
  scoreWith: (options: readonly string[]) => options.join(" "),
  ...{ hasFix: false, hasPolicy: false },
};

export const MISMATCH = "The two videos do not match, so their score would be wrong.";

/**
 * Returns the certain findings and the commands to type next; no lines if the failure has no findings. `commands`:
 * those that can follow the refused command; undefined: a job was refused, which has to be submitted again.
 */
export function refusedLines(found: Found, terminal: Terminal, commands?: PairCommands): string[] {
  const { findings, fix } = mismatchIn(found);
  const certain = findings.filter(({ confidence }) => confidence === "certain");
  if (certain.length === 0) return [];
  const options = fix === undefined ? [] : fixOptions(fix);
  const codes = [...new Set(certain.map(({ code }) => code))];
  const suggested = suggestions(options, codes, commands);
  return [
    "",
    ...listLines(certain, claimLines, terminal),
    "",
    // Commands are not wrapped, so that they can be copied.
    ...suggested.flatMap(([what, typed]) => [paint(terminal, "dim", what), `  ${typed}`]),
  ];
}

type Suggestion = readonly [what: string, typed: string];

function suggestions(
  options: readonly string[],
  codes: readonly string[],
  commands: PairCommands | undefined,
): readonly Suggestion[] {
  const { scoreWith, hasFix, hasPolicy } = commands ?? OF_JOB;
  const how = commands === undefined ? ", submit the pair with" : "";
  const repairs: Suggestion[] = [
    [`To score what was meant${how}`, scoreWith(options)],
    ...(hasFix ? [] : [["To let svc find and apply these fixes", scoreWith(["--fix"])] as const]),
  ];
  const diagnosis: Suggestion[] = commands ? [["To see how the videos relate", commands.doctor]] : [];
  // "warn" alone would not replace a policy that names these findings.
  const policy = hasPolicy ? `warn:${codes.join(",")}` : "warn";
  return [
    ...(options.length > 0 ? repairs : diagnosis),
    [`To score the pair as it is, with warnings${how}`, scoreWith(["--findings", policy])],
  ];
}
