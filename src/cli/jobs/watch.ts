/** The command `svc jobs watch [ID…]`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection.ts";
import {
  Job_State,
  type StreamJobsResponse,
  StreamJobsResponseSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { JobState } from "../../jobs/states.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { EXIT, writeAll } from "../exit.ts";
import { messageJson } from "../message-json.ts";
import { addServerOptions, jsonOption, type ServerFlags, serverGuide, withServer } from "../server.ts";
import { detectTerminal } from "../terminal.ts";
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
  Everything that runs or waits, until Ctrl-C:
    $ svc jobs watch

  One job until it has ended, in a script:
    $ svc jobs watch 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 && echo scored

  Every event of a release, for a program:
    $ svc jobs watch --label release=7 --json

${serverGuide({
  0: "with ids: every job succeeded",
  2: "a job's videos cannot be scored, there is no such job, or the command line is wrong",
  3: "a job failed otherwise or was cancelled, or the server stayed away for 10 minutes",
  130: "stopped with Ctrl-C; the jobs go on",
})}`;

export function watchCommand(): Command {
  const command = new PeopleCommand("svc jobs watch")
    .summary("the progress of jobs, as it happens")
    .description(
      "Follows jobs as they change: a bar for each that runs, a line for each that ends. A connection that is " +
        "lost is taken up again where it ended. With ids it ends when all of them have.",
    )
    .argument(
      "[id...]",
      `jobs to wait for, by their ids in full; at most ${MAX_AWAITED} (default: all that come)`,
    )
    .addOption(labelOption("without ids: only jobs with this label"))
    .addOption(stateOption("without ids: only changes into or out of this state"))
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
    // By default nothing is told of the jobs that ended before: there may be a million of them.
    const states = flags.state?.map(stateOf) ?? [Job_State.QUEUED, Job_State.RUNNING];
    await watchJobs(connection, { states, labels: { ...flags.label } }, shown.watcher, ending);
  } catch (thrown) {
    if (!reader.gone.aborted) throw thrown;
  }
  if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped watching.");
  return EXIT.scored;
}

/** A reader that has seen enough (`svc jobs watch | head`) ends the watching. */
function untilUnread(stream: NodeJS.WriteStream): Disposable & { readonly gone: AbortSignal } {
  const controller = new AbortController();
  const leave = () => controller.abort();
  stream.on("error", leave);
  return { gone: controller.signal, [Symbol.dispose]: () => void stream.off("error", leave) };
}

function checkFilters(ids: readonly string[], { label, state }: WatchFlags): void {
  if (ids.length > 0 && (label !== undefined || state !== undefined)) {
    throw new Failure("INVALID_REQUEST", "--label and --state choose among all jobs: give them, or ids.");
  }
  if (ids.length > MAX_AWAITED) {
    throw new Failure(
      "INVALID_REQUEST",
      `${ids.length} ids are more than ${MAX_AWAITED}. Label the jobs and watch them with --label.`,
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

/** Lines on standard output, bars on standard error where that is a terminal. */
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
