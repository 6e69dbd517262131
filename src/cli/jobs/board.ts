/**
 * Jobs as they go, for people: what has ended scrolls by as lines, what runs is a block of progress
 * bars below, redrawn in place. Where nothing can be redrawn there are lines only, also of progress.
 */
import { type Job, Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import type { Failure } from "../../platform/failure.ts";
import { printable } from "../escape.ts";
import { LiveBlock, type LiveOutput } from "../live.ts";
import { exact } from "../numbers.ts";
import { progressText } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { cut, padded } from "../width.ts";
import { failureOfJob, hasEnded, percentOf, progressOf, titleLine, titleOf } from "./state.ts";

export interface BoardOutput {
  /** Where lines go that stay. */
  readonly lines: { write(text: string): unknown };
  /** Where bars are drawn. */
  readonly live: LiveOutput;
  /** What `live` can show now. */
  terminal(): Terminal;
}

/** Milliseconds between two redraws; the eye follows no more. */
const REDRAW_MS = 100;
/** Per cent between two lines of progress where bars cannot be drawn. */
const STEP_PERCENT = 10;
const MAX_TITLE_COLUMNS = 28;

/** Jobs whose end is remembered; stills come seconds after it. */
const MAX_ENDED = 10_000;

export class Board implements Disposable {
  readonly #output: BoardOutput;
  readonly #block: LiveBlock;
  /** Jobs that have not ended, by id. */
  readonly #open = new Map<string, Job>();
  /** Step of progress that was last told, by id. */
  readonly #told = new Map<string, number>();
  /** The latest jobs whose end was told: they change once more when their stills come. */
  readonly #ended = new Set<string>();
  #note = "";
  #redraw: NodeJS.Timeout | undefined;

  constructor(output: BoardOutput) {
    this.#output = output;
    this.#block = new LiveBlock(output.live);
  }

  /** A job as it is now. */
  update(job: Job): void {
    const before = this.#open.get(job.id);
    if (hasEnded(job)) {
      this.#open.delete(job.id);
      this.#told.delete(job.id);
      this.#tellEnd(job);
      return;
    }
    this.#open.set(job.id, job);
    if (this.#output.terminal().live) this.#drawSoon();
    else this.#tellStep(job, before);
  }

  #tellEnd(job: Job): void {
    if (this.#ended.has(job.id)) return;
    this.#ended.add(job.id);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
    this.#line(endedLine(job));
  }

  /** A job that is there no more. */
  remove(id: string): void {
    this.#open.delete(id);
    this.#told.delete(id);
    this.#drawSoon();
  }

  /** Forgets every job that is not among these: it ended while nobody was told. */
  retain(ids: ReadonlySet<string>): void {
    for (const id of this.#open.keys()) if (!ids.has(id)) this.remove(id);
  }

  /** The connection was lost, or is there again. */
  outage(failure: Failure | undefined): void {
    this.#note = failure === undefined ? "" : printable(`${failure.message} Trying again …`);
    if (this.#output.terminal().live) this.#drawSoon();
    else this.#line(failure === undefined ? "Connected again." : this.#note);
  }

  /** Draws at once, for a terminal that was resized. */
  draw(): void {
    clearTimeout(this.#redraw);
    this.#redraw = undefined;
    const terminal = this.#output.terminal();
    if (!terminal.live) return;
    const lines = this.#lines(terminal);
    if (lines.length > 0) this.#block.draw(lines);
    else this.#block.clear();
  }

  /** Takes the block away. Safe twice. */
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

  #tellStep(job: Job, before: Job | undefined): void {
    const step = Math.floor((percentOf(job) ?? 0) / STEP_PERCENT);
    if (before?.state === job.state && step <= (this.#told.get(job.id) ?? 0)) return;
    this.#told.set(job.id, step);
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
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ];
  return parts.length === 0 ? "" : `and ${parts.join(", ")}`;
}

/** One line, narrower than the terminal; `width` columns of it for the name. */
function runningLine(job: Job, width: number, terminal: Terminal): string {
  const title = padded(cut(printable(titleOf(job)), width, terminal.unicode), width);
  const columns = terminal.columns - width - 2;
  if (job.progress) return `${title}  ${progressText(progressOf(job.progress), { ...terminal, columns })}`;
  return `${title}  ${cut("reading the two files", columns - 1, terminal.unicode)}`;
}

/** State, id, and score or error; then the name. */
function endedLine(job: Job): string {
  if (job.state === Job_State.SUCCEEDED) {
    return `${titleLine(job)}${job.score === undefined ? "" : `  VMAF ${exact(job.score)}`}`;
  }
  if (job.state === Job_State.CANCELLED) return titleLine(job);
  const { code, message } = failureOfJob(job);
  return `${titleLine(job)}  ${printable(`${message} [${code}]`)}`;
}
