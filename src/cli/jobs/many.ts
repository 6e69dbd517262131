/** What commands that change many jobs share: ids or a filter, confirmation, and progress. */
import { type Command, Option } from "commander";
import { Failure } from "../../platform/failure.ts";
import { jsonOption, printFailure, type ServerFlags } from "../connection/server.ts";
import { EXIT, exitCodeOf, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { progressLine } from "../score/progress.ts";
import { confirmed } from "../terminal/confirm.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { addFilterOptions, type FilterFlags, isFiltered } from "./filter.ts";
import { worst } from "./state.ts";

export interface ManyFlags extends ServerFlags, FilterFlags {
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** The server's progress. */
export interface Progress {
  readonly matched: number;
  readonly changed: number;
}

/** The verb forms for a change: "Cancel", "Cancelling", "cancelled". */
export interface Words {
  readonly verb: string;
  readonly doing: string;
  readonly done: string;
}

export interface ManyHelp {
  /** The jobs that --all selects, for the help. */
  readonly all: string;
  /** The output of --json, for the help; default: the jobs given by id, else the counts. */
  readonly json?: string;
  /** Adds the options that select jobs; default: addFilterOptions. */
  readonly addFilters?: (command: Command) => Command;
}

export function addManyOptions<C extends Command>(command: C, { verb }: Words, help: ManyHelp): C {
  const { all, json = "one job per line, or with options the counts,", addFilters = addFilterOptions } = help;
  const named = verb.toLowerCase();
  addFilters(command.argument("[id...]", "full ids of the jobs (default: the jobs that match the options)"))
    .addOption(optional("--all", all, "off"))
    .addOption(optional("--dry-run", "only print how many jobs match", "off"))
    .addOption(
      new Option("-y, --yes", `${named} the matching jobs without asking`).default(
        undefined,
        "ask on a terminal; required elsewhere",
      ),
    )
    .addOption(jsonOption(json));
  return command;
}

/** Returns whether jobs are given by id rather than by options. Throws INVALID_REQUEST for contradictory arguments. */
export function areGivenById(ids: readonly string[], flags: ManyFlags): boolean {
  const { all = false, dryRun, yes } = flags;
  const filtered = isFiltered(flags);
  if (ids.length > 0) {
    if (filtered || all || dryRun || yes) {
      throw new Failure("INVALID_REQUEST", "Give either ids or options that select jobs, not both.");
    }
    return true;
  }
  if (all && filtered) {
    throw new Failure("INVALID_REQUEST", "--all selects every job: give either --all or the other options.");
  }
  if (!all && !filtered) {
    throw new Failure("INVALID_REQUEST", "Give ids, an option that selects jobs such as --label, or --all.");
  }
  return false;
}

/**
 * Failures that concern only one job, so the next is still tried. An unreachable server would fail for all.
 */
const REFUSALS: ReadonlySet<string> = new Set(["not-found", "conflict", "forbidden", "invalid"]);

/**
 * Changes the jobs with these ids one by one. Returns the worst exit code. `change` returns the text to print for a
 * job. Throws Failure.
 */
export async function changeEach(
  ids: readonly string[],
  { json }: ServerFlags,
  change: (id: string) => Promise<string>,
): Promise<number> {
  const codes: number[] = [];
  for (const id of ids) {
    try {
      await writeAll(process.stdout, [await change(id)]);
      codes.push(EXIT.scored);
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (!REFUSALS.has(failure.kind)) throw thrown;
      await printFailure(failure, { json });
      codes.push(exitCodeOf(failure));
    }
  }
  return worst(codes);
}

export interface Change<Answer> {
  readonly words: Words;
  readonly progressOf: (answer: Answer) => Progress;
  readonly json: (answer: Answer) => string;
  readonly call: (dryRun: boolean) => AsyncIterable<Answer>;
}

const COUNT = new Intl.NumberFormat("en");

/** Returns "1 job" or "1,200 jobs". */
export function jobsText(count: number): string {
  return `${COUNT.format(count)} ${count === 1 ? "job" : "jobs"}`;
}

/** Changes all jobs that match the options, after confirmation. Throws Failure. */
export async function changeAllMatching<Answer>(
  flags: ManyFlags,
  change: Change<Answer>,
  signal: AbortSignal,
): Promise<number> {
  const { words, progressOf } = change;
  const found = await lastOf(change.call(true));
  const { matched } = progressOf(found);
  if (flags.dryRun || matched === 0) {
    const text = matched === 0 ? "No jobs.\n" : `${jobsText(matched)} would be ${words.done}.\n`;
    await writeAll(process.stdout, [flags.json ? change.json(found) : text]);
    return EXIT.scored;
  }
  if (!flags.yes && !(await isConfirmed(matched, words, signal))) return EXIT.input;
  const done = await withProgress(change);
  const { changed } = progressOf(done);
  const text = `${capitalized(words.done)} ${jobsText(changed)}.\n`;
  await writeAll(process.stdout, [flags.json ? change.json(done) : text]);
  return EXIT.scored;
}

/** Asks for confirmation on a terminal. Throws INVALID_REQUEST if standard input is not a terminal. */
export async function isConfirmed(
  matched: number,
  { verb, done }: Words,
  signal: AbortSignal,
): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new Failure(
      "INVALID_REQUEST",
      `${jobsText(matched)} would be ${done}. To confirm without a terminal, give --yes.`,
    );
  }
  const agreed = await confirmed(`${verb} ${jobsText(matched)}?`, signal);
  if (!agreed) process.stderr.write(`No job was ${done}.\n`);
  return agreed;
}

async function withProgress<Answer>({ words, call, progressOf }: Change<Answer>): Promise<Answer> {
  const line = progressLine(process.stderr, () => detectTerminal(process.stderr, process.env));
  let changed = 0;
  try {
    return await lastOf(call(false), (answer) => {
      const { matched } = progressOf(answer);
      ({ changed } = progressOf(answer));
      line.note(`${words.doing} ${COUNT.format(changed)} of ${jobsText(matched)} …`);
    });
  } catch (thrown) {
    throw soFar(Failure.from(thrown), changed, words);
  } finally {
    line.clear();
  }
}

/**
 * Adds the progress to a failure, unless the server already did. A server that became unreachable could not.
 */
function soFar(failure: Failure, changed: number, { done }: Words): Failure {
  const { code, message, found } = failure;
  if (changed === 0 || found?.["matched"] !== undefined) return failure;
  return new Failure(
    code,
    `${message} At least ${jobsText(changed)} were ${done} before. Run the same command again to continue.`,
    { ...(found && { found }), cause: failure.cause },
  );
}

async function lastOf<T>(parts: AsyncIterable<T>, each: (part: T) => void = () => {}): Promise<T> {
  let latest: T | undefined;
  for await (const part of parts) {
    latest = part;
    each(part);
  }
  if (latest === undefined) throw new Failure("INTERNAL", "The server's response lacks the jobs.");
  return latest;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
