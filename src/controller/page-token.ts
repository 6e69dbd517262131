/** The pages of a list, and their opaque tokens: where the page before ended, and of which list. */
import { createHash } from "node:crypto";
import { isId } from "../jobs/ids.ts";
import { invalid } from "../platform/failure.ts";
import type { JobFilter, JobSort } from "../store/job-records.ts";

/** Place in a list: the last thing of the page before. */
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

/** How many rows a page is to have at most; 0: nobody said. Throws INVALID_REQUEST. */
export function pageSizeOf(pageSize: number): number {
  if (pageSize > MAX_PAGE) throw invalid(`pageSize is ${pageSize}. Use 1 to ${MAX_PAGE}.`);
  return pageSize || DEFAULT_PAGE;
}

/** A page of rows, of which one more than its size was looked for: there is a next page when that was found. */
export function pageOf<Row extends PageCursor>(
  rows: readonly Row[],
  size: number,
  list: string,
): { readonly page: readonly Row[]; readonly nextPageToken: string } {
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return { page, nextPageToken: rows.length > size && last ? pageToken(last, list) : "" };
}

/** `list`: which list the page is of, the same for all its pages and for no other list. */
export function pageToken({ atMicros, id }: PageCursor, list: string): string {
  return Buffer.from(JSON.stringify([atMicros, id, list])).toString("base64url");
}

/** undefined for no token: the first page. Throws INVALID_REQUEST for a token that is none, or of another list. */
export function readPageToken(token: string, list: string): PageCursor | undefined {
  if (token === "") return undefined;
  const [atMicros, id, itsList] = parse(token);
  if (!Number.isSafeInteger(atMicros) || typeof id !== "string" || !isId(id)) throw none();
  const cursor = { atMicros: atMicros as number, id };
  if (itsList !== list) {
    throw invalid(
      "pageToken is of another list, or of one with other filters or another order. Begin without it.",
    );
  }
  if (pageToken(cursor, list) !== token) throw none();
  return cursor;
}

function parse(token: string): readonly unknown[] {
  if (token.length > MAX_TOKEN) throw none();
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    throw none();
  }
}

/** The list of jobs with a filter in an order: equal for filters that let through the same. */
export function jobList({ states = [], labels = {}, ...times }: JobFilter, sort: JobSort = "NEWEST"): string {
  const { sinceMs, untilMs, endedSinceMs, endedUntilMs } = times;
  const filters = JSON.stringify([
    [...states].sort(),
    Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)),
    ...[sinceMs, untilMs, endedSinceMs, endedUntilMs].map((time) => time ?? null),
    sort,
  ]);
  return createHash("sha256").update(filters).digest("base64url").slice(0, 11);
}

function none(): ReturnType<typeof invalid> {
  return invalid("pageToken is not a token of this list. Give nextPageToken of the page before, unchanged.");
}
