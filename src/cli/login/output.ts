/** Output of `svc login`, `svc logout` and `svc whoami`. */
import type { Session } from "../../client/session/session.ts";
import { writeAll } from "../exit.ts";
import { printable, printableJson, quoteName } from "../terminal/escape.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { Caller } from "./caller.ts";

/** Prints a sentence on standard error, which is for people even if a program reads standard output. */
export function printSentence(sentence: string): void {
  const { columns } = detectTerminal(process.stderr, process.env);
  process.stderr.write(`${wrap(printable(sentence), columns).join("\n")}\n`);
}

/** Prints an address on its own line, never wrapped. */
export function printAddress(url: string): void {
  process.stderr.write(`\n  ${printable(url)}\n\n`);
}

export interface SessionReport {
  readonly session: Session;
  /** undefined if the controller could not be asked. */
  readonly caller: Caller | undefined;
  readonly file: string;
}

export async function printSession(
  { session, caller, file }: SessionReport,
  json: boolean | undefined,
): Promise<void> {
  if (json) {
    const about = { server: session.server, ...caller, session: sessionJson(session) };
    return writeAll(process.stdout, [`${printableJson(about, 2)}\n`]);
  }
  const who = caller === undefined ? "" : ` as ${callerText(caller)}`;
  const sentences = [
    `You are signed in to ${session.server}${who}.`,
    `Your session ${lifeText(session)}. svc logout ends it. It is saved in`,
  ];
  const { columns } = detectTerminal(process.stdout, process.env);
  const lines = [...sentences.flatMap((sentence) => wrap(sentence, columns)), printable(file)];
  return writeAll(process.stdout, [`${lines.join("\n")}\n`]);
}

/** Returns a session as JSON, without its tokens. */
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

/** Returns how long a session lasts, as the end of a sentence. */
export function lifeText({ expiresMs, refreshToken }: Session): string {
  if (refreshToken !== undefined) return "is renewed as long as the provider allows";
  if (expiresMs === undefined) return "ends when the provider ends it";
  return `ends at ${new Date(expiresMs).toISOString()}, because the provider issued no refresh token`;
}
