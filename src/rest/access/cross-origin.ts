/**
 * Protects against cross-site requests. A browser sends a POST without a body, or with one that is not declared as
 * JSON, on behalf of any site and without a preflight: with network access of its machine and with its client
 * certificate.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { HttpFault } from "../http/problem.ts";

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS = ["GET", "HEAD", "OPTIONS", "TRACE"];
/** A page of this server, or a URL that the user typed. Not "same-site", which is a page of a sibling domain. */
const OWN_SITES = ["same-origin", "none"];

/**
 * Throws CROSS_ORIGIN (403). Sec-Fetch-Site (Fetch Metadata) decides if it is present; browsers send it over TLS and on
 * loopback, and it is correct behind every proxy. Otherwise Origin decides: its host and port must equal those of Host,
 * or `isNamed` must accept its host. A request with neither does not come from a browser.
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
    "A browser sent this request for a page of another origin. Only pages of this server may make changes. " +
      "If it is a page of this server behind a proxy, have the proxy forward Host or Sec-Fetch-Site, or add the host of the page to --allowed-hosts.",
  );
}

/** Ignores the default port of the origin's scheme, which a proxy may have added or removed. */
function isOwnOrigin(
  origin: string,
  { host = "" }: IncomingHttpHeaders,
  isNamed: (host: string) => boolean,
): boolean {
  const url = URL.parse(origin);
  if (url === null || url.host === "") return false;
  return url.host === URL.parse(`${url.protocol}//${host}`)?.host || isNamed(url.host);
}
