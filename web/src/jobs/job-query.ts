/** Which jobs are shown and in which order, as the address says it. */
import { JOB_STATES, type JobState } from "./job-facts.ts";
import { instantOf } from "./times.ts";

export const SORTS = ["age", "ended", "score", "rate", "state", "name"] as const;
export type Sort = (typeof SORTS)[number];

export interface JobQuery {
  /** None: all. */
  readonly states: readonly JobState[];
  /** Each "key=value"; all of them must be there. */
  readonly labels: readonly string[];
  /** Words, all of which must be found. */
  readonly text: string;
  /** Submitted then or later, and before: as the address has it; empty: at any time. */
  readonly since: string;
  readonly until: string;
  readonly sort: Sort;
  /** The youngest first is not descending: it is by rising age. */
  readonly descending: boolean;
}

export const EVERY_JOB: JobQuery = {
  ...{ states: [], labels: [], text: "", since: "", until: "" },
  ...{ sort: "age", descending: false },
};

/** What the address does not say, or says in a way that nobody understands, is as if it were not there. */
export function queryOf(params: URLSearchParams): JobQuery {
  const states = params.getAll("state");
  const query: JobQuery = {
    ...EVERY_JOB,
    states: JOB_STATES.filter((state) => states.includes(state)),
    labels: [...new Set(params.getAll("label"))].filter((label) => label.indexOf("=") > 0),
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

/** The order as the address says it: "name", and "-name" for the other way round. */
export function orderOf({ sort, descending }: JobQuery): string {
  return `${descending ? "-" : ""}${sort}`;
}

/** The query in an order as the address says it; by age where nobody understands it. */
export function ordered(query: JobQuery, order: string): JobQuery {
  const descending = order.startsWith("-");
  const name = descending ? order.slice(1) : order;
  const sort = SORTS.find((known) => known === name);
  return { ...query, sort: sort ?? "age", descending: sort !== undefined && descending };
}

/** The address's parameters for a query. Others stay as they are. */
export function withQuery(params: URLSearchParams, query: JobQuery): URLSearchParams {
  const changed = new URLSearchParams(params);
  for (const name of ["state", "label", "q", "since", "until", "sort"]) changed.delete(name);
  if (query.text !== "") changed.set("q", query.text);
  for (const state of query.states) changed.append("state", state);
  for (const label of query.labels) changed.append("label", label);
  if (query.since !== "") changed.set("since", query.since);
  if (query.until !== "") changed.set("until", query.until);
  const order = orderOf(query);
  if (order !== "age") changed.set("sort", order);
  return changed;
}

export function isFiltered({ states, labels, text, since, until }: JobQuery): boolean {
  return states.length > 0 || labels.length > 0 || [text.trim(), since, until].some((part) => part !== "");
}

/** The list with the item, or without it where it was in it. */
export function toggled<T>(items: readonly T[], item: T): readonly T[] {
  return items.includes(item) ? items.filter((other) => other !== item) : [...items, item];
}

/** By the same column it turns round; by another it begins with what one looks for: the best, the youngest. */
export function sortedBy(query: JobQuery, sort: Sort): JobQuery {
  const descending = query.sort === sort ? !query.descending : sort === "score";
  return { ...query, sort, descending };
}
