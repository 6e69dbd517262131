/** The command `svc jobs label ID CHANGE…`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { JobSchema, JobService } from "../../gen/proto/svc/v1/job_pb.ts";
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
import { labelsText } from "./job-page.ts";
import { collectLabelChange, type LabelChange } from "./labels.ts";
import { titleLine } from "./state.ts";

const GUIDE = `
Examples:
  Set one label and remove another:
    $ svc jobs label 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 release=8 old-

${serverGuide({
  0: "the job has these labels",
  2: "the job does not exist or would have more than 32 labels, or the command line is wrong",
})}`;

export function labelCommand(): Command {
  const command = new PeopleCommand("svc jobs label")
    .summary("add, change and remove labels of a job")
    .description("Changes labels of a job in any state: KEY=VALUE sets a label, KEY- removes one.")
    .argument("<id>", "the job's full id")
    .argument("<change...>", "KEY=VALUE or KEY-", collectLabelChange)
    .addOption(jsonOption("the job"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, change: LabelChange, flags: ServerFlags) =>
    withServer(flags, (connection, signal) => label(connection, id, change, flags, signal)),
  );
}

async function label(
  connection: Connection,
  id: string,
  { set, remove }: LabelChange,
  { json }: ServerFlags,
  signal: AbortSignal,
): Promise<number> {
  const request = { id, setLabels: set, removeLabels: [...remove] };
  const { job } = await connection.call(JobService.method.updateJob, request, { signal });
  const updated = required(job, `job ${id}`);
  const labels = labelsText(updated.spec?.labels ?? {}) || "no labels";
  const text = json ? messageJson(JobSchema, updated, 2) : `${titleLine(updated)}  ${labels}\n`;
  await writeAll(process.stdout, [text]);
  return EXIT.scored;
}
