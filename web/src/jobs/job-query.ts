/** Filter and order of the job list, as stored in the URL. */
import { JOB_STATES, type JobState } from "../../../src/jobs/states.ts";
import { instantOf } from "./times.ts";

export const SORTS = ["age", "ended", "score", "rate", "state", "name"] as const;
export type Sort = (typeof SORTS)[number];

export interface JobQuery {
  /** Empty: all. */
  readonly states: readonly JobState[];
  /** Each "key=value"; a job must have all of them. */
  readonly labels: readonly string[];
  /** Only jobs that miss one of their gates. */
  readonly gatesMissed: boolean;
  /** Search words; a job must match all of them. */
  readonly text: string;
  /** Submission time, from `since` (inclusive) to `until` (exclusive), as written in the URL; empty: no limit. */
  readonly since: string;
  readonly until: string;
  readonly sort: Sort;
  /** Newest first counts as ascending, because the column is the age. */
  readonly descending: boolean;
}

export const EVERY_JOB: JobQuery = {
  ...{ states: [], labels: [], gatesMissed: false, text: "", since: "", until: "" },
  ...{ sort: "age", descending: false },
};

/** Parameters that are missing or invalid are ignored. */
export function queryOf(params: URLSearchParams): JobQuery {
  const states = params.getAll("state");
  const query: JobQuery = {
    ...EVERY_JOB,
    states: JOB_STATES.filter((state) => states.includes(state)),
    labels: [...new Set(params.getAll("label"))].filter((label) => label.indexOf("=") > 0),
    gatesMissed: params.get("gates") === "missed",
    text: params.get("q") ?? "",
    since: timeIn(params, "since"),
    until: timeIn(params, "until"),
  };
  return ordered(query, params.get("sort") ?? "");
}

function timeIn(params: URLSearchParams, name: string): string {
  const text = params.get(name) ?? "";
  return instantOf(text, 0) === undefined ? "" : text;
}

/** The order as written in the URL: "name", or "-name" for the reverse. */
export function orderOf({ sort, descending }: JobQuery): string {
  return `${descending ? "-" : ""}${sort}`;
}

/** The query with the order from the URL; by age if the order is unknown. */
export function ordered(query: JobQuery, order: string): JobQuery {
  const descending = order.startsWith("-");
  const name = descending ? order.slice(1) : order;
  const sort = SORTS.find((known) => known === name);
  return { ...query, sort: sort ?? "age", descending: sort !== undefined && descending };
}

/** The URL parameters with the query's replaced; all others are kept. */
export function withQuery(params: URLSearchParams, query: JobQuery): URLSearchParams {
  const changed = new URLSearchParams(params);
  for (const name of ["state", "label", "gates", "q", "since", "until", "sort"]) changed.delete(name);
  if (query.text !== "") changed.set("q", query.text);
  for (const state of query.states) changed.append("state", state);
  for (const label of query.labels) changed.append("label", label);
  if (query.gatesMissed) changed.set("gates", "missed");
  if (query.since !== "") changed.set("since", query.since);
  if (query.until !== "") changed.set("until", query.until);
  const order = orderOf(query);
  if (order !== "age") changed.set("sort", order);
  return changed;
}

export function isFiltered({ states, labels, gatesMissed, text, since, until }: JobQuery): boolean {
  if (gatesMissed) return true;
  return states.length > 0 || labels.length > 0 || [text.trim(), since, until].some((part) => part !== "");
}

/** The list with the item added, or removed if it was in it. */
export function toggled<T>(items: readonly T[], item: T): readonly T[] {
  return items.includes(item) ? items.filter((other) => other !== item) : [...items, item];
}

/**
 * Selecting the same column reverses the order; another column starts with its more useful end: best or
 * newest.
 */
export function sortedBy(query: JobQuery, sort: Sort): JobQuery {
  const descending = query.sort === sort ? !query.descending : sort === "score";
  return { ...query, sort, descending };
}
