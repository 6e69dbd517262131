/** Formats addresses to listen on, and reports those that cannot be used. */
import { isIPv6 } from "node:net";
import { errorCode, messageOf } from "../../platform/errors.ts";

/** "127.0.0.1:8080", "[::1]:8080". */
export function hostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program is using this address",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "this user is not permitted to use that port",
};

const HOST_FLAG = "--host";

/** An address that cannot be listened on. The process exits with code 1. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly #portFlag: string;
  readonly #code: string | undefined;

  constructor(portFlag: string, address: string, cause: unknown) {
    const code = errorCode(cause);
    super(`cannot listen on ${address}: ${REASONS[code ?? ""] ?? messageOf(cause)}.`, { cause });
    this.#portFlag = portFlag;
    this.#code = code;
  }

  /** What to do, in terms of the flags that the command has; empty if none of them helps. */
  advice(hasFlag: (flag: string) => boolean): string {
    const isPort = this.#code !== "EADDRNOTAVAIL" && hasFlag(this.#portFlag);
    const port = isPort ? [`another port with ${this.#portFlag} (0 picks a free one)`] : [];
    const host = hasFlag(HOST_FLAG) ? [`another address with ${HOST_FLAG}`] : [];
    const choices = [...port, ...host].join(" or ");
    return choices === "" ? "" : `Choose ${choices}.`;
  }
}
