/** The compared jobs in the URL: ?job=ID, ?a=ID and ?b=ID, in the order of their numbers. */

export type Ladder = "a" | "b";

export interface Chosen {
  readonly id: string;
  /** undefined: compared, but on no ladder. */
  readonly ladder: Ladder | undefined;
}

/** Limit of compared jobs: two ladders of twelve. This many lines still differ in colour or dashes. */
export const MAX_COMPARED = 24;

/** Number of jobs whose frames are drawn by default; more lines would hide one another. */
export const MAX_DRAWN = 8;

const NAMES = ["job", "a", "b"];

/** Returns each job once, as it was named last; `left` is the number of jobs beyond the limit. */
export function chosenOf(params: URLSearchParams): {
  readonly chosen: readonly Chosen[];
  readonly left: number;
} {
  const all = new Map<string, Chosen>();
  for (const [name, id] of params)
    if (NAMES.includes(name) && id !== "")
      all.set(id, { id, ladder: name === "a" || name === "b" ? name : undefined });
  const chosen = [...all.values()];
  return { chosen: chosen.slice(0, MAX_COMPARED), left: Math.max(0, chosen.length - MAX_COMPARED) };
}

/** The URL parameters for these jobs. Others are kept, except those that refer to removed jobs. */
export function withChosen(params: URLSearchParams, chosen: readonly Chosen[]): URLSearchParams {
  const ids = chosen.map(({ id }) => id);
  const changed = new URLSearchParams();
  for (const { id, ladder } of chosen) changed.append(ladder ?? "job", id);
  for (const [name, value] of params)
    if (!NAMES.includes(name) && isKept(name, value, ids)) changed.append(name, value);
  return changed;
}

function isKept(name: string, value: string, ids: readonly string[]): boolean {
  if (name === "rate") return ids.includes(value.slice(0, value.lastIndexOf(":")));
  if (name === "hide" || name === "show") return ids.includes(value);
  if (name === "diff") return value.split(",").every((id) => ids.includes(id));
  return true;
}

/** Assigns one of the jobs to a ladder. */
export function onLadder(
  chosen: readonly Chosen[],
  id: string,
  ladder: Ladder | undefined,
): readonly Chosen[] {
  return chosen.map((each) => (each.id === id ? { id, ladder } : each));
}

/** Bit rates typed by the user, in bits per second by job; ?rate=ID:KBIT. */
export function typedRates(params: URLSearchParams): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  for (const text of params.getAll("rate")) {
    const at = text.lastIndexOf(":");
    const rate = rateOf(text.slice(at + 1));
    if (at > 0 && rate !== undefined) rates.set(text.slice(0, at), rate);
  }
  return rates;
}

/** `kbit`: as typed; an invalid rate removes the previous one. */
export function withRate(params: URLSearchParams, id: string, kbit: string): URLSearchParams {
  const others = params.getAll("rate").filter((text) => !text.startsWith(`${id}:`));
  const rate = rateOf(kbit);
  const changed = new URLSearchParams(params);
  changed.delete("rate");
  for (const text of others) changed.append("rate", text);
  if (rate !== undefined) changed.append("rate", `${id}:${rate / 1000}`);
  return changed;
}

/** Converts kilobits per second to bits per second. */
function rateOf(kbit: string): number | undefined {
  const number = Number(kbit.trim().replace(",", ".") || Number.NaN);
  return number > 0 && Number.isFinite(number) ? Math.round(number * 1e6) / 1000 : undefined;
}

/** Ids of jobs whose frames are drawn: the first ones except ?hide=ID, and later ones with ?show=ID. */
export function drawnOf(params: URLSearchParams, ids: readonly string[]): readonly string[] {
  const [hidden, added] = [params.getAll("hide"), params.getAll("show")];
  return ids.filter((id, place) => (place < MAX_DRAWN ? !hidden.includes(id) : added.includes(id)));
}

/** Toggles whether the frames of a job are drawn. */
export function withDrawn(params: URLSearchParams, ids: readonly string[], id: string): URLSearchParams {
  const name = ids.indexOf(id) < MAX_DRAWN ? "hide" : "show";
  const before = params.getAll(name);
  const next = before.includes(id) ? before.filter((each) => each !== id) : [...before, id];
  const changed = new URLSearchParams(params);
  changed.delete(name);
  for (const each of next) changed.append(name, each);
  return changed;
}

/** Two jobs whose difference is drawn: the second minus the first. */
export function differenceOf(params: URLSearchParams): readonly [string, string] | undefined {
  const [one, other, ...rest] = (params.get("diff") ?? "").split(",");
  return one && other && one !== other && rest.length === 0 ? [one, other] : undefined;
}

/** The limit that frames are counted against; undefined if it is not a number. */
export function limitOf(text: string | null): number | undefined {
  const number = Number(text?.trim().replace(",", ".") || Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}
