/** Addresses that only this machine reaches. */
import { hostNameIn } from "./host-name.ts";

/** Of a host as it is written, or as a parsed URL has it: other notations of an address have become these. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Of what a request's Host says, with a port or without: names below localhost, too, which browsers resolve themselves. */
export function isLoopbackHost(host: string): boolean {
  const name = hostNameIn(host);
  return name !== undefined && (isLoopback(name) || /^[\w.-]+\.localhost$/.test(name));
}
