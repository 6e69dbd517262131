/** What commands that change many jobs have in common: ids or a filter, a question, and how far it is. */
import { type Command, Option } from "commander";
import { Failure } from "../../platform/failure.ts";
import { confirmed } from "../confirm.ts";
import { EXIT, exitCodeOf, writeAll } from "../exit.ts";
import { optional } from "../optional.ts";
import { progressLine } from "../progress.ts";
import { jsonOption, type ServerFlags, tellFailure } from "../server.ts";
import { detectTerminal } from "../terminal.ts";
import { addFilterOptions, type FilterFlags, isFiltered } from "./filter.ts";
import { worst } from "./state.ts";

export interface ManyFlags extends ServerFlags, FilterFlags {
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** How far the server is. */
export interface Progress {
  readonly matched: number;
  readonly changed: number;
}

/** The words of a change: "Cancel", "Cancelling", "cancelled". */
export interface Words {
  readonly verb: string;
  readonly doing: string;
  readonly done: string;
}

/** `all`: what --all chooses. */
export function addManyOptions<C extends Command>(command: C, { verb }: Words, all: string): C {
  const named = verb.toLowerCase();
  addFilterOptions(command.argument("[id...]", "the jobs' ids, in full (default: those of the options)"))
    .addOption(optional("--all", all, "off"))
    .addOption(optional("--dry-run", "only say how many there are", "off"))
    .addOption(
      new Option("-y, --yes", `${named} the jobs of the options without asking`).default(
        undefined,
        "asks on a terminal; elsewhere it must be given",
      ),
    )
    .addOption(jsonOption("a job per line, or with options the count,"));
  return command;
}

/** Whether jobs are named, and not chosen by options. Throws INVALID_REQUEST for what cannot be meant. */
export function areNamed(ids: readonly string[], flags: ManyFlags): boolean {
  const { all = false, dryRun, yes } = flags;
  const filtered = isFiltered(flags);
  if (ids.length > 0) {
    if (filtered || all || dryRun || yes) {
      throw new Failure("INVALID_REQUEST", "Options choose among all jobs: give them, or ids.");
    }
    return true;
  }
  if (all && filtered) {
    throw new Failure("INVALID_REQUEST", "--all is every job: leave the other options out, or --all.");
  }
  if (!all && !filtered) {
    throw new Failure("INVALID_REQUEST", "Give ids, an option that chooses jobs such as --state, or --all.");
  }
  return false;
}

/** What one job is refused for says nothing about the next; a server that is gone does. */
const REFUSALS: ReadonlySet<string> = new Set(["not-found", "conflict", "forbidden", "invalid"]);

/** Changes jobs one by one; the exit code of the worst. `change`: what is printed of one. Throws Failure. */
export async function eachNamed(
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
      await tellFailure(failure, { json });
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

/** "1 job", "1,200 jobs". */
function jobsText(count: number): string {
  return `${COUNT.format(count)} ${count === 1 ? "job" : "jobs"}`;
}

/** Changes all jobs that the options choose, once somebody has agreed to their number. Throws Failure. */
export async function allChosen<Answer>(
  flags: ManyFlags,
  change: Change<Answer>,
  signal: AbortSignal,
): Promise<number> {
  const { words, progressOf } = change;
  const found = await last(change.call(true));
  const { matched } = progressOf(found);
  if (flags.dryRun || matched === 0) {
    const text = matched === 0 ? "No jobs.\n" : `${jobsText(matched)} would be ${words.done}.\n`;
    await writeAll(process.stdout, [flags.json ? change.json(found) : text]);
    return EXIT.scored;
  }
  if (!flags.yes && !(await isAgreed(matched, words, signal))) return EXIT.input;
  const done = await withProgress(change);
  const { changed } = progressOf(done);
  const text = `${capitalized(words.done)} ${jobsText(changed)}.\n`;
  await writeAll(process.stdout, [flags.json ? change.json(done) : text]);
  return EXIT.scored;
}

async function isAgreed(matched: number, { verb, done }: Words, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new Failure(
      "INVALID_REQUEST",
      `${jobsText(matched)} would be ${done}, and nobody is there to be asked. Give --yes.`,
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
    return await last(call(false), (answer) => {
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

/** A server that ends it says how far it came; one that is gone does not. */
function soFar(failure: Failure, changed: number, { done }: Words): Failure {
  const { code, message, found } = failure;
  if (changed === 0 || found?.["matched"] !== undefined) return failure;
  return new Failure(
    code,
    `${message} ${jobsText(changed)} were ${done} before, at least. The same command again goes on.`,
    { ...(found && { found }), cause: failure.cause },
  );
}

async function last<T>(parts: AsyncIterable<T>, each: (part: T) => void = () => {}): Promise<T> {
  let latest: T | undefined;
  for await (const part of parts) {
    latest = part;
    each(part);
  }
  if (latest === undefined) throw new Failure("INTERNAL", "The server answers nothing about the jobs.");
  return latest;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
