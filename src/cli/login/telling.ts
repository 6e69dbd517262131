/** What `svc login` and `svc whoami` say. */
import type { Session } from "../../client/token-session.ts";
import { printable, printableJson, quoteName } from "../escape.ts";
import { writeAll } from "../exit.ts";
import { detectTerminal } from "../terminal.ts";
import { wrap } from "../wrap.ts";
import type { Caller } from "./caller.ts";

/** A sentence on standard error, which is for people also when standard output is for a program. */
export function tell(sentence: string): void {
  const { columns } = detectTerminal(process.stderr, process.env);
  process.stderr.write(`${wrap(printable(sentence), columns).join("\n")}\n`);
}

/** An address on a line of its own, never broken. */
export function tellAddress(url: string): void {
  process.stderr.write(`\n  ${printable(url)}\n\n`);
}

export interface Told {
  readonly session: Session;
  /** undefined: the controller could not say. */
  readonly caller: Caller | undefined;
  readonly file: string;
}

export async function printSession(
  { session, caller, file }: Told,
  json: boolean | undefined,
): Promise<void> {
  if (json) {
    const about = { server: session.server, ...caller, session: sessionJson(session) };
    return writeAll(process.stdout, [`${printableJson(about, 2)}\n`]);
  }
  const who = caller === undefined ? "" : ` as ${callerText(caller)}`;
  const sentences = [
    `You are signed in to ${session.server}${who}.`,
    `Your session ${lifeText(session)}. svc logout ends it. It is kept in`,
  ];
  const { columns } = detectTerminal(process.stdout, process.env);
  const lines = [...sentences.flatMap((sentence) => wrap(sentence, columns)), printable(file)];
  return writeAll(process.stdout, [`${lines.join("\n")}\n`]);
}

/** What may be told of a session: no token. */
export function sessionJson({ issuer, clientId, expiresMs, refreshToken }: Session): object {
  return {
    issuer,
    clientId,
    ...(expiresMs !== undefined && { tokenExpires: new Date(expiresMs).toISOString() }),
    renewable: refreshToken !== undefined,
  };
}

function callerText({ tenant, subject, roles }: Caller): string {
  const who = `tenant ${quoteName(tenant)}${subject === "" ? "" : `, subject ${quoteName(subject)}`}`;
  return `${who}, ${roles.length > 0 ? roles.map(printable).join(", ") : "without a role"}`;
}

/** How long a session lasts, as the end of a sentence. */
export function lifeText({ expiresMs, refreshToken }: Session): string {
  if (refreshToken !== undefined) return "is renewed as long as the provider permits";
  if (expiresMs === undefined) return "ends when the provider says so";
  return `ends at ${new Date(expiresMs).toISOString()}, and the provider gave nothing to renew it with`;
}
