/** The command `svc jobs watch [ID…]`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import {
  Job_State,
  type StreamJobsResponse,
  StreamJobsResponseSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { JobState } from "../../jobs/states.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { Board, type BoardOutput } from "./board.ts";
import { stateOption } from "./filter.ts";
import { type Labels, labelOption } from "./labels.ts";
import { exitCodeOfJob, stateOf, worst } from "./state.ts";
import { awaitJobs, MAX_AWAITED, type Watcher, watchJobs } from "./wait.ts";

interface WatchFlags extends ServerFlags {
  readonly label?: Labels;
  readonly state?: readonly JobState[];
}

const GUIDE = `
Examples:
  All running and queued jobs, until Ctrl-C:
    $ svc jobs watch

  Wait for one job, in a script:
    $ svc jobs watch 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 && echo scored

  All events of a release's jobs, for a program:
    $ svc jobs watch --label release=7 --json

${serverGuide({
  0: "with ids: every job succeeded, and met its gates",
  1: "with ids: a job misses one of its gates",
  2: "a job's videos cannot be scored, a job does not exist, or the command line is wrong",
  3: "a job failed otherwise or was cancelled, or the server was unreachable for 10 minutes",
  130: "stopped with Ctrl-C; the jobs continue",
})}`;

export function watchCommand(): Command {
  const command = new PeopleCommand("svc jobs watch")
    .summary("show the progress of jobs live")
    .description(
      "Follows jobs live: a progress bar for each running job, a line for each that ends. A lost connection " +
        "is resumed where it ended. With ids, the command ends when all these jobs have ended.",
    )
    .argument("[id...]", `full ids of the jobs to wait for; at most ${MAX_AWAITED} (default: all jobs)`)
    .addOption(labelOption("without ids: only jobs with this label"))
    .addOption(stateOption("without ids: only changes to or from this state"))
    .addOption(jsonOption("one event per line"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((ids: readonly string[], flags: WatchFlags) =>
    withServer(flags, (connection, signal) => watch(connection, ids, flags, signal)),
  );
}

async function watch(
  connection: Connection,
  given: readonly string[],
  flags: WatchFlags,
  signal: AbortSignal,
): Promise<number> {
  const ids = [...new Set(given)];
  checkFilters(ids, flags);
  using shown = flags.json ? jsonWatcher() : boardWatcher();
  using reader = untilUnread(process.stdout);
  const ending = AbortSignal.any([signal, reader.gone]);
  try {
    if (ids.length > 0) {
      const jobs = await awaitJobs(connection, ids, shown.watcher, ending);
      return worst(jobs.map(exitCodeOfJob));
    }
    // By default, jobs that have already ended are left out: there may be a million of them.
    const states = flags.state?.map(stateOf) ?? [Job_State.QUEUED, Job_State.RUNNING];
    await watchJobs(connection, { states, labels: { ...flags.label } }, shown.watcher, ending);
  } catch (thrown) {
    if (!reader.gone.aborted) throw thrown;
  }
  if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped watching.");
  return EXIT.scored;
}

/** Aborts when the reader of the stream goes away (`svc jobs watch | head`). */
function untilUnread(stream: NodeJS.WriteStream): Disposable & { readonly gone: AbortSignal } {
  const controller = new AbortController();
  const leave = () => controller.abort();
  stream.on("error", leave);
  return { gone: controller.signal, [Symbol.dispose]: () => void stream.off("error", leave) };
}

function checkFilters(ids: readonly string[], { label, state }: WatchFlags): void {
  if (ids.length > 0 && (label !== undefined || state !== undefined)) {
    throw new Failure("INVALID_REQUEST", "Give either ids or --label and --state, not both.");
  }
  if (ids.length > MAX_AWAITED) {
    throw new Failure(
      "INVALID_REQUEST",
      `${ids.length} ids are more than the limit of ${MAX_AWAITED}. Label the jobs and watch them with --label.`,
    );
  }
}

export interface Shown extends Disposable {
  readonly watcher: Watcher;
}

function jsonWatcher(): Shown {
  const write = (event: StreamJobsResponse) =>
    writeAll(process.stdout, [messageJson(StreamJobsResponseSchema, event)]);
  return { watcher: { onEvent: write }, [Symbol.dispose]() {} };
}

/** Prints lines on standard output, and bars on standard error if that is a terminal. */
export function boardWatcher(lines: BoardOutput["lines"] = process.stdout): Shown {
  const live = process.stderr;
  const board = new Board({ lines, live, terminal: () => detectTerminal(live, process.env) });
  const redraw = () => board.draw();
  live.on("resize", redraw);
  return {
    watcher: {
      onJob: (job) => board.update(job),
      onDeleted: (id) => board.remove(id),
      onSnapshot: (ids) => board.retain(ids),
      onOutage: (failure) => board.outage(failure),
    },
    [Symbol.dispose]() {
      live.off("resize", redraw);
      board[Symbol.dispose]();
    },
  };
}
