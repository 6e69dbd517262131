/** The output of `svc scorer list`: the programs that were found, the processor, and a missing current scorer. */
import type { Origin } from "../../engine/programs/candidates.ts";
import { INSTALL_COMMAND } from "../../engine/programs/missing.ts";
import { printableLines } from "../terminal/escape.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

/** A program that was found and tried. */
export interface ListedProgram {
  readonly origin: Origin;
  readonly path: string;
  /** Whether this program scores by default. */
  readonly default: boolean;
  /** SPDX expression; "unknown" for programs that did not come with svc. */
  readonly licence: string;
  /** Program, versions and models of the scorer; undefined: it cannot score. */
  readonly scorer:
    | {
        readonly program: "ffmpeg" | "vmaf";
        readonly version: string;
        readonly libvmafVersion: string;
        readonly models: readonly string[];
      }
    | undefined;
  /** Why it cannot score; undefined: it can. */
  readonly reason: string | undefined;
}

export interface Listing {
  /** In the order in which they are preferred. */
  readonly programs: readonly ListedProgram[];
  /** Vector instructions of this machine that libvmaf uses. */
  readonly vectorInstructions: readonly string[];
  /**
   * One sentence if the current scorer is not installed; undefined: it is installed, or there is none for
   * this system.
   */
  readonly missing: string | undefined;
}

const COLUMNS: readonly TableColumn<ListedProgram>[] = [
  { heading: "DEFAULT", text: (one) => (one.default ? "yes" : ""), atLeast: 0 },
  { heading: "ORIGIN", text: ({ origin }) => origin, atLeast: 0 },
  { heading: "PROGRAM", text: programText, atLeast: 0 },
  { heading: "LIBVMAF", text: ({ scorer }) => scorer?.libvmafVersion ?? "-", atLeast: 0, dispensable: 1 },
  {
    heading: "MODELS",
    text: ({ scorer }) => String(scorer?.models.length ?? "-"),
    atLeast: 0,
    align: "right",
    dispensable: 2,
  },
  { heading: "LICENCE", text: ({ licence }) => licence, atLeast: 0, dispensable: 3 },
  { heading: "PATH", text: ({ path }) => path, atLeast: 0 },
];

function programText({ scorer }: ListedProgram): string {
  return scorer === undefined ? "cannot score" : `${scorer.program} ${scorer.version}`;
}

/**
 * Returns the table, and below it the models of the default, the processor, programs that cannot score, and a
 * missing scorer.
 */
export function listingLines(
  { programs, vectorInstructions, missing }: Listing,
  terminal: Terminal,
): string[] {
  const table =
    programs.length === 0
      ? ["No program was found."]
      : tableLines(programs, COLUMNS, terminal, { heading: true });
  const models = programs.find((one) => one.default)?.scorer?.models ?? [];
  const facts = [
    ...(models.length > 0 ? [`Models of the default: ${models.join(", ")}.`] : []),
    `Vector instructions: ${vectorInstructions.length > 0 ? vectorInstructions.join(", ") : "none known"}.`,
    ...programs.flatMap(({ path, reason }) => (reason === undefined ? [] : [`${path}: ${reason}`])),
    ...(missing === undefined ? [] : [`${missing} Install it with: ${INSTALL_COMMAND}`]),
  ];
  return [...table, "", ...facts.flatMap(printableLines).flatMap((line) => wrap(line, terminal.columns))];
}

/** Returns the listing for programs. */
export function listingJson({ programs, vectorInstructions, missing }: Listing): object {
  return {
    programs: programs.map(({ scorer, reason, ...facts }) => ({
      ...facts,
      ...scorer,
      ...(reason === undefined ? {} : { reason }),
    })),
    vectorInstructions,
    ...(missing === undefined ? {} : { missing, install: INSTALL_COMMAND }),
  };
}
