/** Checks the response to a request for a range of an object. */
import type { IncomingHttpHeaders } from "node:http";
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import { ObjectFault, type ObjectVersion } from "./object.ts";

export interface RangeResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
}

/** A response that was read whole. */
export interface ShortResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Characters of an ETag. S3's have 34 to 40. */
const MAX_ETAG = 256;
const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i;

/** Returns the version of the object that a response has a range of. Throws ObjectFault. */
export function versionIn({ statusCode, headers }: RangeResponse, range: ByteRange): ObjectVersion {
  refuseStatus(statusCode, headers);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw unsuitable(`sends the object with the encoding ${shown(encoding)}`);
  const found = CONTENT_RANGE.exec(headers["content-range"] ?? "");
  const [first, last, size] = (found ?? []).slice(1).map(Number);
  if (size === undefined) throw unsuitable("sends a range without saying which");
  if (first !== range.first || last !== Math.min(range.last, size - 1))
    throw unavailable("sends another range than was asked for");
  const length = headers["content-length"];
  if (length !== undefined && Number(length) !== last - first + 1)
    throw unavailable("sends another number of bytes than was asked for");
  const { etag = "" } = headers;
  if (etag.length > MAX_ETAG) throw unsuitable(`has an ETag of over ${MAX_ETAG} characters`);
  const modifiedMs = Date.parse(headers["last-modified"] ?? "");
  return { etag, size, modifiedMs: Number.isNaN(modifiedMs) ? undefined : modifiedMs };
}

/** Whether two versions have the same content. */
export function isSame(one: ObjectVersion, other: ObjectVersion): boolean {
  return one.etag === other.etag && one.size === other.size && one.modifiedMs === other.modifiedMs;
}

function refuseStatus(status: number, headers: IncomingHttpHeaders): void {
  if (status === 206) return;
  if (status === 200) throw unsuitable("ignores ranges: it sends the whole object");
  if (status === 404 || status === 410) throw new ObjectFault("MISSING", "it does not exist");
  if (status === 401 || status === 403)
    throw new ObjectFault("DENIED", `its storage refuses access (status ${status})`);
  if (status === 412) throw new ObjectFault("CHANGED", "it was replaced");
  if (status === 416) {
    const isEmpty = /^bytes \*\/0$/i.test(headers["content-range"] ?? "");
    throw isEmpty
      ? new ObjectFault("EMPTY", "it is empty (0 bytes)")
      : new ObjectFault("CHANGED", "it is shorter than it was");
  }
  throw otherStatus(status, headers);
}

/** Returns the fault for a status that has no specific meaning here. */
export function otherStatus(status: number, headers: IncomingHttpHeaders): ObjectFault {
  const retryAfterMs = retryAfterIn(headers);
  return new ObjectFault("UNAVAILABLE", `its storage responds with status ${status}`, { retryAfterMs });
}

/** Returns the code of an error of S3. */
export function codeIn(text: string): string | undefined {
  return /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1];
}

/** Throws ObjectFault unless the response to a change has one of these statuses. */
export function refuseChange({ status, headers, text }: ShortResponse, good: readonly number[]): void {
  if (good.includes(status)) return;
  const code = codeIn(text);
  const why = `status ${status}${code === undefined ? "" : `, ${code}`}`;
  if (status === 401 || status === 403)
    throw new ObjectFault("DENIED", `its storage refuses svc's credentials (${why})`);
  if (status === 404) throw new ObjectFault("MISSING", `its bucket does not exist (${why})`);
  if (status >= 400 && status < 500) throw new ObjectFault("UNSUITABLE", `its storage refuses it (${why})`);
  throw otherStatus(status, headers);
}

/** Seconds, or a time. */
function retryAfterIn({ "retry-after": given, date }: IncomingHttpHeaders): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1000;
  // Uses the clock of the storage, if it is known.
  const now = Date.parse(date ?? "");
  const afterMs = Date.parse(given) - (Number.isNaN(now) ? Date.now() : now);
  return afterMs >= 0 ? afterMs : undefined;
}

function unsuitable(what: string): ObjectFault {
  return new ObjectFault("UNSUITABLE", `its server ${what}`);
}

function unavailable(what: string): ObjectFault {
  return new ObjectFault("UNAVAILABLE", `its storage ${what}`);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 32).replace(/[^\x20-\x7e]/g, "?"));
}
