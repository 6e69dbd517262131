/** The command `svc tenants audit`. */
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type AuditRecord, AuditRecordSchema } from "../../gen/proto/svc/v1/audit_pb.ts";
import { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { PeopleCommand } from "../command.ts";
import { addLimitOptions, type Limits, pagesOf, printList } from "../connection/pages.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { instantText, pastOption, TIMES_GUIDE } from "../flags/instants.ts";
import { optional } from "../flags/optional.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface AuditFlags extends ServerFlags, Limits {
  readonly since?: number;
  readonly until?: number;
  readonly subject?: string;
  readonly operation?: string;
  readonly outcome?: string;
  readonly target?: string;
}

const GUIDE = `
Examples:
  What happened to a job:
    $ svc tenants audit --target 0194c5f0-5c1e-7a38-9d8f-0c3f1d2b4a55

  Subjects that were refused in the last day because a role was missing:
    $ svc tenants audit --since 1d --outcome ROLE_MISSING --all --json | jq -r .subject | sort | uniq -c

${TIMES_GUIDE}

${serverGuide()}`;

export function auditCommand(): Command {
  const command = new PeopleCommand("svc tenants audit")
    .summary("list changes and refused calls in your tenant, newest first")
    .description(
      "Lists changes and refused calls of your tenant: time, subject, operation, outcome, targets. Needs the role svc:admin.",
    )
    .addOption(pastOption("--since <time>", "only records at or after this time"))
    .addOption(pastOption("--until <time>", "only records before this time"))
    .addOption(optional("--subject <subject>", "only this subject", "any"))
    .addOption(
      optional("--operation <name>", "only this operation, such as svc.v1.JobService/CancelJob", "any"),
    )
    .addOption(optional("--outcome <code>", "only this outcome: OK or an error code", "any"))
    .addOption(optional("--target <id>", "only this job, node or revocation", "any"));
  addLimitOptions(command, "records").addOption(jsonOption("one record per line")).withGuide(GUIDE);
  return addServerOptions(command).action((flags: AuditFlags) =>
    withServer(flags, (connection, signal) =>
      printList(auditPages(connection, flags, signal), {
        json: flags.json,
        schema: AuditRecordSchema,
        table: auditTable,
        none: "No records.",
      }),
    ),
  );
}

function auditPages(
  connection: Connection,
  flags: AuditFlags,
  signal: AbortSignal,
): AsyncGenerator<readonly AuditRecord[]> {
  const { since, until, subject = "", operation = "", outcome = "", target = "" } = flags;
  const filter = {
    ...(since !== undefined && { since: timestampFromMs(since) }),
    ...(until !== undefined && { until: timestampFromMs(until) }),
    ...{ subject, operation, outcome, target },
  };
  return pagesOf(async (at) => {
    const request = { ...filter, ...at };
    const page = await connection.call(TenantService.method.listAudit, request, { signal });
    return { things: page.records, nextPageToken: page.nextPageToken };
  }, flags);
}

const COLUMNS: readonly TableColumn<AuditRecord>[] = [
  { heading: "TIME", text: timeText, atLeast: 20 },
  { heading: "SUBJECT", text: ({ subject }) => subject || "-", atLeast: 8 },
  { heading: "OPERATION", text: operationText, atLeast: 14 },
  { heading: "OUTCOME", text: ({ outcome }) => outcome, atLeast: 12 },
  { heading: "FROM", text: ({ peer }) => peer || "-", atLeast: 15, dispensable: 1 },
  { heading: "TARGETS", text: targetsText, atLeast: 0 },
];

/** Returns the targets; for a call that changes many jobs, their number and filter. */
function targetsText({ targets, filter, jobs }: AuditRecord): string {
  const many = jobs === undefined ? [] : [`${jobs} ${jobs === 1 ? "job" : "jobs"}`, filter ?? ""];
  return [...many, ...targets].filter(Boolean).join(" ");
}

/** Returns one line per record. */
export function auditTable(
  records: readonly AuditRecord[],
  terminal: Terminal,
  { heading }: { readonly heading: boolean },
): string[] {
  return tableLines(records, COLUMNS, terminal, { heading });
}

function timeText({ time }: AuditRecord): string {
  return time === undefined ? "-" : instantText(timestampMs(time));
}

/** Returns the method without its service: method names are unique. */
function operationText({ operation, count }: AuditRecord): string {
  if (count > 1) return `${count} calls`;
  return operation.replace(/^svc\.v1\.\w+\//, "") || "-";
}
