/** Which scorers are told apart by name. Nodes name them, those of tenants too, so their number has a bound. */

/** Pieces of work that need a scorer. */
interface Wanted {
  readonly tenant: string;
  /** Empty: any does. */
  readonly scorer: string;
  readonly count: number;
}

const MAX_SCORERS = 16;
const OTHER_SCORERS = "other";

/**
 * The name to tell each scorer by: those that most tenants wait for have theirs, of these those that most work waits
 * for, and then the first by name. So whoever looks at the same queue tells the same ones, a tenant cannot fill the
 * places of scorers that several wait for, and what nobody waits for is forgotten.
 */
export function scorerNames(wanted: readonly Wanted[]): (scorer: string) => string {
  const named = wanted.filter(({ scorer, count }) => scorer !== "" && count > 0);
  const scorers = [...Map.groupBy(named, ({ scorer }) => scorer)].map(([scorer, work]) => ({
    scorer,
    tenants: new Set(work.map(({ tenant }) => tenant)).size,
    count: work.reduce((sum, { count }) => sum + count, 0),
  }));
  scorers.sort((a, b) => b.tenants - a.tenants || b.count - a.count || (a.scorer < b.scorer ? -1 : 1));
  const told = new Set(scorers.slice(0, MAX_SCORERS).map(({ scorer }) => scorer));
  return (scorer) => (scorer === "" || told.has(scorer) ? scorer : OTHER_SCORERS);
}
