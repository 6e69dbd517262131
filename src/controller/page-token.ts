/** The opaque token of a page: where the page before ended, and of which list. */
import { createHash } from "node:crypto";
import { invalid } from "../platform/failure.ts";
import type { JobFilter } from "../store/job-records.ts";
import { isId } from "./calls.ts";

/** Place in a list, newest first: the last thing of the page before. */
export interface PageCursor {
  /** Microseconds since 1970. */
  readonly createdAtMicros: number;
  /** UUID. */
  readonly id: string;
}

/** Much longer than any token. */
const MAX_TOKEN = 200;

/** `list`: which list the page is of, the same for all its pages and for no other list. */
export function pageToken({ createdAtMicros, id }: PageCursor, list: string): string {
  return Buffer.from(JSON.stringify([createdAtMicros, id, list])).toString("base64url");
}

/** undefined for no token: the first page. Throws INVALID_REQUEST for a token that is none, or of another list. */
export function readPageToken(token: string, list: string): PageCursor | undefined {
  if (token === "") return undefined;
  const [createdAtMicros, id, itsList] = parse(token);
  if (!Number.isSafeInteger(createdAtMicros) || typeof id !== "string" || !isId(id)) throw none();
  const cursor = { createdAtMicros: createdAtMicros as number, id };
  if (itsList !== list) {
    throw invalid("pageToken is of another list, or of one with other filters. Begin without it.");
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

/** The list of jobs with a filter: equal for filters that let through the same. */
export function jobList({ states = [], labels = {} }: JobFilter): string {
  const filters = JSON.stringify([
    [...states].sort(),
    Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);
  return createHash("sha256").update(filters).digest("base64url").slice(0, 11);
}

function none(): ReturnType<typeof invalid> {
  return invalid("pageToken is not a token of this list. Give nextPageToken of the page before, unchanged.");
}
