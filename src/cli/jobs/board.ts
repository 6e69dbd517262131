/**
 * Shows jobs live: a line for each job that ended, and below the lines a block of progress bars for running jobs,
 * redrawn in place. Without a terminal, progress is printed as lines too.
 */
import { type Job, Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { fetchText } from "../../jobs/quantities.ts";
import type { Failure } from "../../platform/failure.ts";
import { shareText } from "../score/estimate.ts";
import { progressText } from "../score/progress.ts";
import { printable } from "../terminal/escape.ts";
import { LiveBlock, type LiveOutput } from "../terminal/live.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { cut, padded } from "../terminal/width.ts";
import { missedGates } from "./gates.ts";
import { failureOfJob, hasEnded, percentOf, progressOf, scoreText, titleLine, titleOf } from "./state.ts";

export interface BoardOutput {
  /** Receives the permanent lines. */
  readonly lines: { write(text: string): unknown };
  /** Receives the bars. */
  readonly live: LiveOutput;
  /** Returns the current capabilities of `live`. */
  terminal(): Terminal;
}

/** Milliseconds between redraws. People cannot follow more frequent changes. */
const REDRAW_MS = 100;
/** Percentage points between progress lines if bars can't be drawn. */
const STEP_PERCENT = 10;
const MAX_TITLE_COLUMNS = 28;

/** Limit of remembered ended jobs: their stills arrive seconds after the end. */
const MAX_ENDED = 10_000;

export class Board implements Disposable {
  readonly #output: BoardOutput;
  readonly #block: LiveBlock;
  /** Jobs that have not ended, by id. */
  readonly #open = new Map<string, Job>();
  /** Last printed progress step, by id. */
  readonly #printed = new Map<string, number>();
  /** The latest jobs whose end was printed: they change once more when their stills arrive. */
  readonly #ended = new Set<string>();
  #note = "";
  #redraw: NodeJS.Timeout | undefined;

  constructor(output: BoardOutput) {
    this.#output = output;
    this.#block = new LiveBlock(output.live);
  }

  /** Shows the current state of a job. */
  update(job: Job): void {
    const before = this.#open.get(job.id);
    if (hasEnded(job)) {
      this.#open.delete(job.id);
      this.#printed.delete(job.id);
      this.#printEnd(job);
      return;
    }
    this.#open.set(job.id, job);
    if (this.#output.terminal().live) this.#drawSoon();
    else this.#printStep(job, before);
  }

  #printEnd(job: Job): void {
    if (this.#ended.has(job.id)) return;
    this.#ended.add(job.id);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
    this.#line(endedLine(job, this.#output.terminal()));
  }

  /** Removes a job that no longer exists. */
  remove(id: string): void {
    this.#open.delete(id);
    this.#printed.delete(id);
    this.#drawSoon();
  }

  /** Removes all jobs but these: the others ended during a lost connection. */
  retain(ids: ReadonlySet<string>): void {
    for (const id of this.#open.keys()) if (!ids.has(id)) this.remove(id);
  }

  /** Reports that the connection was lost, or is back (undefined). */
  outage(failure: Failure | undefined): void {
    this.#note = failure === undefined ? "" : printable(`${failure.message} Reconnecting …`);
    if (this.#output.terminal().live) this.#drawSoon();
    else this.#line(failure === undefined ? "Reconnected." : this.#note);
  }

  /** Redraws immediately, for a terminal that was resized. */
  draw(): void {
    clearTimeout(this.#redraw);
    this.#redraw = undefined;
    const terminal = this.#output.terminal();
    if (!terminal.live) return;
    const lines = this.#lines(terminal);
    if (lines.length > 0) this.#block.draw(lines);
    else this.#block.clear();
  }

  /** Erases the block. Safe to call twice. */
  [Symbol.dispose](): void {
    clearTimeout(this.#redraw);
    this.#redraw = undefined;
    this.#block.clear();
  }

  #line(text: string): void {
    this.#block.clear();
    this.#output.lines.write(`${text}\n`);
    this.#drawSoon();
  }

  #drawSoon(): void {
    this.#redraw ??= setTimeout(() => this.draw(), REDRAW_MS);
  }

  #printStep(job: Job, before: Job | undefined): void {
    const step = Math.floor((percentOf(job) ?? 0) / STEP_PERCENT);
    if (before?.state === job.state && step <= (this.#printed.get(job.id) ?? 0)) return;
    this.#printed.set(job.id, step);
    const percent = percentOf(job);
    this.#line(`${titleLine(job)}${percent === undefined ? "" : `  ${percent} %`}`);
  }

  #lines(terminal: Terminal): string[] {
    const running = [...this.#open.values()].filter(({ state }) => state === Job_State.RUNNING);
    const waiting = this.#open.size - running.length;
    const note = this.#note === "" ? [] : [cut(this.#note, terminal.columns - 1, terminal.unicode)];
    const room = Math.max(1, this.#block.height - 1 - note.length);
    const shown = running.slice(0, room);
    const width = Math.min(MAX_TITLE_COLUMNS, Math.floor(terminal.columns / 3));
    const rest = restText(running.length - shown.length, waiting);
    return [
      ...shown.map((job) => runningLine(job, width, terminal)),
      ...(rest === "" ? [] : [cut(rest, terminal.columns - 1, terminal.unicode)]),
      ...note,
    ];
  }
}

function restText(running: number, waiting: number): string {
  const parts = [
    ...(running > 0 ? [`${running} more running`] : []),
    ...(waiting > 0 ? [`${waiting} queued`] : []),
  ];
  return parts.length === 0 ? "" : `and ${parts.join(", ")}`;
}

/** Returns one line, narrower than the terminal, with `width` columns for the name. */
function runningLine(job: Job, width: number, terminal: Terminal): string {
  const title = padded(cut(printable(titleOf(job)), width, terminal.unicode), width);
  const columns = terminal.columns - width - 2;
  if (job.progress && !job.fetch)
    return `${title}  ${progressText(progressOf(job.progress, job), { ...terminal, columns })}`;
  const text = job.fetch ? fetchText(job.fetch) : "reading the two files";
  return `${title}  ${cut(text, columns - 1, terminal.unicode)}`;
}

/** Returns " (estimate, 8.4 % of the frames)", or nothing for a score of all frames. */
function estimatedText({ estimate }: Job): string {
  return estimate === undefined ? "" : ` (estimate, ${shareText(estimate.scoredShare)} of the frames)`;
}

/** Returns state, id, name, and score or error. */
function endedLine(job: Job, terminal: Terminal): string {
  if (job.state === Job_State.SUCCEEDED) {
    const score = scoreText(job, terminal);
    const missed = missedGates(job, terminal.unicode);
    const gates = missed === "" ? "" : `  ${missed}`;
    return `${titleLine(job)}${score === undefined ? "" : `  VMAF ${score}`}${estimatedText(job)}${gates}`;
  }
  if (job.state === Job_State.CANCELLED) return titleLine(job);
  const { code, message } = failureOfJob(job);
  return `${titleLine(job)}  ${printable(`${message} [${code}]`)}`;
}
