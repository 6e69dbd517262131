/** Prints revocations for people. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Revocation, RevocationSchema } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { messageJson } from "../connection/message-json.ts";
import { writeAll } from "../exit.ts";
import { instantText } from "../flags/instants.ts";
import { ageText } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import { type Terminal, tableTerminal } from "../terminal/terminal.ts";

const KINDS = { tokenId: "token id", subject: "subject", issuedBefore: "issued before" } as const;

/** Returns one line for each; `now` in milliseconds since 1970. */
export function revocationTable(
  revocations: readonly Revocation[],
  terminal: Terminal,
  now: number,
  { heading }: { readonly heading: boolean },
): string[] {
  const columns: readonly TableColumn<Revocation>[] = [
    { heading: "ID", text: ({ id }) => id, atLeast: 36 },
    { heading: "REVOKED", text: kindText, atLeast: 13 },
    { heading: "WHAT", text: whatText, atLeast: 20 },
    { heading: "UNTIL", text: untilText, atLeast: 20, dispensable: 1 },
    { heading: "AGE", text: (one) => ageOf(one, now), atLeast: 4, align: "right", dispensable: 2 },
    { heading: "BY", text: ({ revokedBy }) => revokedBy || "-", atLeast: 8, dispensable: 3 },
    { heading: "REASON", text: ({ reason }) => reason, atLeast: 0 },
  ];
  return tableLines(revocations, columns, terminal, { heading });
}

/** Prints a revocation on standard output, as a table or as JSON. */
export async function writeRevocation(revocation: Revocation, json = false): Promise<void> {
  const terminal = tableTerminal(process.stdout, process.env);
  const lines = revocationTable([revocation], terminal, Date.now(), { heading: true });
  const text = json ? messageJson(RevocationSchema, revocation, 2) : `${lines.join("\n")}\n`;
  await writeAll(process.stdout, [text]);
}

function kindText({ what }: Revocation): string {
  return what.case === undefined ? "-" : KINDS[what.case];
}

function whatText({ what }: Revocation): string {
  if (what.case === "issuedBefore") return instantText(timestampMs(what.value));
  return what.value ?? "-";
}

function untilText({ expireTime }: Revocation): string {
  return expireTime === undefined ? "unrevoked" : instantText(timestampMs(expireTime));
}

function ageOf({ createTime }: Revocation, now: number): string {
  return createTime === undefined ? "-" : ageText(now - timestampMs(createTime));
}
