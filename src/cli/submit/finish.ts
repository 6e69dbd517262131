/** The command `svc jobs finish ID`. */
import { create } from "@bufbuild/protobuf";
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { JobSchema, JobService, SubmitJobRequestSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { invalid } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import {
  addServerOptions,
  jsonOption,
  required,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { fetchJob } from "../jobs/get.ts";
import { gateOption } from "../score/options.ts";
import { gatesFor, type OutcomeFlags, printOutcomes } from "./outcome.ts";

interface FinishFlags extends ServerFlags, Omit<OutcomeFlags, "from"> {
  readonly wait?: boolean;
}

const GUIDE = `
Examples:
  The score of all frames of an estimated job; prints the id of the job that scores the rest:
    $ svc jobs finish 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10

  In CI, if the estimate left a gate undecided:
    $ svc jobs finish 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --wait --fail-under vmaf.mean=93

${serverGuide({
  0: "submitted, now or before; with --wait: scored, and every gate passed",
  1: "with --wait: below a gate of the job or of --fail-under",
  2: "the job does not exist, has not succeeded, or all of its frames are scored; with --wait: the videos cannot be scored",
  3: "the server cannot be reached or failed; with --wait: the job failed otherwise, or was cancelled",
  130: "stopped with Ctrl-C; the job continues",
})}`;

export function finishCommand(): Command {
  const command = new PeopleCommand("svc jobs finish")
    .summary("score the rest of an estimated job")
    .description(
      "Submits a job that scores the frames which an estimate did not, and has a score of all frames. Scored frames " +
        "are copied. The estimate stays as it is. Repeating the command gives the same job, unless that failed, was " +
        "cancelled or deleted.",
    )
    .argument("<id>", "full id of the estimated job")
    .addOption(optional("--wait", "wait for the result", "off"))
    .addOption(gateOption())
    .addOption(optional("--all-metrics", "with --wait: also show the models' own features", "off"))
    .addOption(optional("-q, --quiet", "with --wait: print only errors and missed gates", "off"))
    .addOption(jsonOption("the job"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: FinishFlags) =>
    withServer(flags, (connection, signal) => finish(connection, id, flags, signal)),
  );
}

async function finish(
  connection: Connection,
  id: string,
  flags: FinishFlags,
  signal: AbortSignal,
): Promise<number> {
  if (!flags.wait && flags.failUnder.length > 0)
    throw invalid("--fail-under needs a result: give --wait too.");
  const { spec: { estimate: _, ...spec } = {} } = await fetchJob(connection, id, signal);
  const request = create(SubmitJobRequestSchema, { job: spec });
  const gates = await gatesFor(connection, flags, [{ request }], signal);
  const { job, existed } = await connection.call(JobService.method.finishJob, { id }, { signal });
  const submitted = required(job, `job ${id}`);
  if (existed && !flags.quiet) process.stderr.write("The estimate was finished before; this is its job.\n");
  if (flags.wait) {
    if (!flags.quiet) process.stderr.write(`Job ${submitted.id}\n`);
    return printOutcomes(connection, [submitted], () => gates, flags, signal);
  }
  await writeAll(process.stdout, [flags.json ? messageJson(JobSchema, submitted, 2) : `${submitted.id}\n`]);
  return EXIT.scored;
}
