/** Addresses that a server listens on. */
import { isIPv6 } from "node:net";

/** "127.0.0.1:8080", "[::1]:8080". */
export function hostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** An address that cannot be listened on; the process ends with exit code 1. */
export class ListenError extends Error {
  override readonly name = "ListenError";

  constructor(flag: string, address: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`cannot listen on ${address}: ${why}. Choose another port with ${flag}; 0 takes a free one.`, {
      cause,
    });
  }
}
