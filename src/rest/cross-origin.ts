/**
 * Which pages may change something. A browser sends a POST without a body, or with one that is not declared as JSON, for a
 * page of any site, and asks nobody before: with what its machine can reach and with its client certificate.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { HttpFault } from "./problem.ts";

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS = ["GET", "HEAD", "OPTIONS", "TRACE"];
/** A page of this server itself, or nobody's page: the person typed an address. Not "same-site", a page of a sibling. */
const OWN_SITES = ["same-origin", "none"];

/**
 * Throws CROSS_ORIGIN (403). Sec-Fetch-Site (Fetch Metadata) decides where it is sent: over TLS and on loopback. It is
 * right behind every proxy. Else Origin does: its host and port have to be those of Host, or its host one that `isNamed`.
 * A request with neither is of no browser.
 */
export function refuseOtherOrigins(
  { method = "", headers, headersDistinct }: IncomingMessage,
  isNamed: (host: string) => boolean,
): void {
  if (SAFE_METHODS.includes(method)) return;
  const { "sec-fetch-site": sites, origin: origins = [] } = headersDistinct;
  const isOwn =
    sites?.every((site) => OWN_SITES.includes(site)) ??
    origins.every((origin) => isOwnOrigin(origin, headers, isNamed));
  if (isOwn) return;
  throw new HttpFault(
    403,
    "CROSS_ORIGIN",
    "A browser sent this for a page of another origin, and only this server's own pages may change something here. " +
      "If it is a page of this server behind a proxy, have the proxy pass on Host or Sec-Fetch-Site, or give the page's host to --allowed-hosts.",
  );
}

/** Without the port that goes without saying in the origin's scheme, which a proxy may have put in or left out. */
function isOwnOrigin(
  origin: string,
  { host = "" }: IncomingHttpHeaders,
  isNamed: (host: string) => boolean,
): boolean {
  const url = URL.parse(origin);
  if (url === null || url.host === "") return false;
  return url.host === URL.parse(`${url.protocol}//${host}`)?.host || isNamed(url.host);
}
