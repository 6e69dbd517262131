/** Addresses that a server listens on. */
import { isIPv6 } from "node:net";
import { errorCode, messageOf } from "../platform/thrown.ts";

/** "127.0.0.1:8080", "[::1]:8080". */
export function hostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "this user may not take that port",
};

/** An address that cannot be listened on; the process ends with exit code 1. */
export class ListenError extends Error {
  override readonly name = "ListenError";

  constructor(flag: string, address: string, cause: unknown) {
    const why = REASONS[errorCode(cause) ?? ""] ?? messageOf(cause);
    super(
      `cannot listen on ${address}: ${why}. Choose another port with ${flag} (0 takes a free one) or another --host.`,
      {
        cause,
      },
    );
  }
}
