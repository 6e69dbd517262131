/** Pages of a list, and their opaque tokens, which hold the end of the previous page and identify the list. */
import { createHash } from "node:crypto";
import { isId } from "../../jobs/ids.ts";
import { invalid } from "../../platform/failure.ts";
import type { JobFilter, JobSort } from "../../store/contract/job-records.ts";

/** A position in a list: the last item of the previous page. */
export interface PageCursor {
  /** The time that the list is sorted by, in microseconds since 1970. */
  readonly atMicros: number;
  /** UUID. */
  readonly id: string;
}

const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;
/** Much longer than any token. */
const MAX_TOKEN = 200;
/** Longest token that contains a token of a storage. */
const MAX_TEXT_TOKEN = 8192;

/** Returns the page size to use; 0 means the default. Throws INVALID_REQUEST. */
export function pageSizeOf(pageSize: number): number {
  if (pageSize > MAX_PAGE) throw invalid(`pageSize is ${pageSize}. Use 1 to ${MAX_PAGE}.`);
  return pageSize || DEFAULT_PAGE;
}

/** Cuts a page from rows that were read with one more than its size; the extra row means that there is a next page. */
export function pageOf<Row extends PageCursor>(
  rows: readonly Row[],
  size: number,
  list: string,
): { readonly page: readonly Row[]; readonly nextPageToken: string } {
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return { page, nextPageToken: rows.length > size && last ? pageToken(last, list) : "" };
}

/** `list`: identifies the list; the same for all its pages and different for every other list. */
export function pageToken({ atMicros, id }: PageCursor, list: string): string {
  return Buffer.from(JSON.stringify([atMicros, id, list])).toString("base64url");
}

/**
 * Returns undefined for an empty token, which means the first page. Throws INVALID_REQUEST for an invalid token or one
 * of another list.
 */
export function readPageToken(token: string, list: string): PageCursor | undefined {
  if (token === "") return undefined;
  const [atMicros, id, itsList] = parse(token);
  if (!Number.isSafeInteger(atMicros) || typeof id !== "string" || !isId(id)) throw none();
  const cursor = { atMicros: atMicros as number, id };
  if (itsList !== list) throw otherList();
  if (pageToken(cursor, list) !== token) throw none();
  return cursor;
}

/** Returns the token of a list whose pages end at a text. */
export function textToken(end: string, list: string): string {
  return Buffer.from(JSON.stringify([end, list])).toString("base64url");
}

/** Like readPageToken, for a list whose pages end at a text. */
export function readTextToken(token: string, list: string): string | undefined {
  if (token === "") return undefined;
  const [end, itsList] = parse(token, MAX_TEXT_TOKEN);
  if (typeof end !== "string" || typeof itsList !== "string") throw none();
  if (itsList !== list) throw otherList();
  if (textToken(end, list) !== token) throw none();
  return end;
}

function parse(token: string, most = MAX_TOKEN): readonly unknown[] {
  if (token.length > most) throw none();
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    throw none();
  }
}

/** Identifies a list of jobs with a filter and an order; equal filters give equal results. */
export function jobList({ states = [], labels = {}, ...times }: JobFilter, sort: JobSort = "NEWEST"): string {
  const { sinceMs, untilMs, endedSinceMs, endedUntilMs, gatesMissed } = times;
  const filters = JSON.stringify([
    [...states].sort(),
    Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)),
    ...[sinceMs, untilMs, endedSinceMs, endedUntilMs].map((time) => time ?? null),
    sort,
    // Tokens of lists without this filter stay as they were.
    ...(gatesMissed ? ["gatesMissed"] : []),
  ]);
  return createHash("sha256").update(filters).digest("base64url").slice(0, 11);
}

function otherList(): ReturnType<typeof invalid> {
  return invalid(
    "pageToken belongs to another list, or to one with another filter or order. Start without it.",
  );
}

function none(): ReturnType<typeof invalid> {
  return invalid("pageToken is not valid for this list. Pass nextPageToken of the previous page unchanged.");
}
