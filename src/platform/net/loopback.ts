/** Recognizes addresses that only this machine can reach. */
import { hostNameIn } from "./host-name.ts";

/** Takes a host as written, or from a parsed URL, which has normalized other notations of an address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Takes a Host header, with or without a port. Also accepts names below localhost, which browsers resolve themselves.
 */
export function isLoopbackHost(host: string): boolean {
  const name = hostNameIn(host);
  return name !== undefined && (isLoopback(name) || /^[\w.-]+\.localhost$/.test(name));
}
