/** The command `svc tenants show`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { FINDING_ACTIONS } from "../../engine/contract/findings-policy.ts";
import { type FindingsPolicy, FindingsPolicy_Action } from "../../gen/proto/svc/v1/scoring_pb.ts";
import {
  type Tenant,
  TenantSchema,
  TenantService,
  type TenantUploads,
} from "../../gen/proto/svc/v1/tenant_pb.ts";
import { sizeText } from "../../jobs/quantities.ts";
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
import { printable } from "../terminal/escape.ts";

const GUIDE = `
Examples:
  $ svc tenants show
  $ svc tenants show --json | jq .usage.jobsQueued

${serverGuide()}`;

export function showCommand(): Command {
  const command = new PeopleCommand("svc tenants show")
    .summary("show your tenant's usage, limits and defaults")
    .description(
      "Shows your tenant: its id, queued and running jobs, running tasks, limits, the models of jobs that name none, and the default policy on findings.",
    )
    .addOption(jsonOption("the tenant"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((flags: ServerFlags) =>
    withServer(flags, (connection, signal) => show(connection, flags, signal)),
  );
}

async function show(connection: Connection, { json }: ServerFlags, signal: AbortSignal): Promise<number> {
  const answer = await connection.call(TenantService.method.getTenant, {}, { signal });
  const tenant = required(answer.tenant, "the tenant");
  const text = json ? messageJson(TenantSchema, tenant, 2) : `${tenantLines(tenant).join("\n")}\n`;
  await writeAll(process.stdout, [text]);
  return EXIT.scored;
}

/** Returns one line per fact, its name first. */
function tenantLines({ id, usage, limits, defaultModels, findings, uploads }: Tenant): string[] {
  const { jobsQueued = 0, jobsRunning = 0, segmentsRunning = 0 } = usage ?? {};
  const of = (limit: number | undefined) => (limit === undefined ? "" : ` of ${limit}`);
  const lines: readonly (readonly [name: string, text: string])[] = [
    ["tenant", printable(id)],
    ["jobs queued", `${jobsQueued}${of(limits?.jobsQueued)}`],
    ["jobs running", String(jobsRunning)],
    ["segments running", `${segmentsRunning}${of(limits?.segmentsRunning)}`],
    [
      "submits per second",
      limits?.submitsPerSecond === undefined ? "no limit" : `up to ${limits.submitsPerSecond}`,
    ],
    ["weight", String(limits?.weight ?? 1)],
    ["default models", printable(defaultModels.join(", "))],
    ["findings", printable(findingsText(findings))],
    ["uploads", uploads === undefined ? "none are taken" : uploadsText(uploads)],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}  ${text}`);
}

/** For example "2 of 1000, 1.20 GB of 107 GB". */
function uploadsText({ count, bytes, maxCount, maxBytes }: TenantUploads): string {
  return `${count} of ${maxCount}, ${sizeText(bytes)} of ${sizeText(maxBytes)}`;
}

/** For example "warn, OFFSET: refuse". */
function findingsText({ action = 0, codes = {} }: Partial<FindingsPolicy> = {}): string {
  const word = (value: number) =>
    FINDING_ACTIONS.find((name) => FindingsPolicy_Action[name] === value)?.toLowerCase() ?? `action ${value}`;
  const own = Object.entries(codes).map(([code, value]) => `${code}: ${word(value)}`);
  return [word(action || FindingsPolicy_Action.REFUSE), ...own].join(", ");
}
