/** The opaque token of a page: where the page before ended, and of which list. */
import { createHash } from "node:crypto";
import type { JobCursor, JobFilter } from "../store/store.ts";
import { invalid, isId } from "./calls.ts";

/** Much longer than any token. */
const MAX_TOKEN = 200;

export function pageToken({ createdAtMicros, id }: JobCursor, filter: JobFilter): string {
  return Buffer.from(JSON.stringify([createdAtMicros, id, listOf(filter)])).toString("base64url");
}

/** undefined for no token: the first page. Throws INVALID_REQUEST for a token that is none, or of another list. */
export function readPageToken(token: string, filter: JobFilter): JobCursor | undefined {
  if (token === "") return undefined;
  const [createdAtMicros, id, list] = parse(token);
  if (!Number.isSafeInteger(createdAtMicros) || typeof id !== "string" || !isId(id)) throw none();
  const cursor = { createdAtMicros: createdAtMicros as number, id };
  if (list !== listOf(filter)) {
    throw invalid("pageToken is of a list with other filters. Begin without it.");
  }
  if (pageToken(cursor, filter) !== token) throw none();
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

/** Tells lists apart: equal for filters that let through the same. */
function listOf({ states = [], labels = {} }: JobFilter): string {
  const filters = JSON.stringify([
    [...states].sort(),
    Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);
  return createHash("sha256").update(filters).digest("base64url").slice(0, 11);
}

function none(): ReturnType<typeof invalid> {
  return invalid("pageToken is not a token of this list. Give nextPageToken of the page before, unchanged.");
}
