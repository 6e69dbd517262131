/** The scorers that statistics name. Nodes, including tenants' own, report any names, so the number is bounded. */

/** Tasks that need a scorer. */
interface Wanted {
  readonly tenant: string;
  /** Empty: any scorer. */
  readonly scorer: string;
  readonly count: number;
}

const MAX_SCORERS = 16;
const OTHER_SCORERS = "other";

/**
 * Returns a function that maps a scorer to the name to report. Scorers that most tenants wait for keep their names,
 * then those with most waiting tasks, then the first by name. So all readers of the same queue report the same names,
 * and one tenant cannot displace scorers that several tenants wait for.
 */
export function scorerNames(wanted: readonly Wanted[]): (scorer: string) => string {
  const named = wanted.filter(({ scorer, count }) => scorer !== "" && count > 0);
  const scorers = [...Map.groupBy(named, ({ scorer }) => scorer)].map(([scorer, work]) => ({
    scorer,
    tenants: new Set(work.map(({ tenant }) => tenant)).size,
    count: work.reduce((sum, { count }) => sum + count, 0),
  }));
  scorers.sort((a, b) => b.tenants - a.tenants || b.count - a.count || (a.scorer < b.scorer ? -1 : 1));
  const reported = new Set(scorers.slice(0, MAX_SCORERS).map(({ scorer }) => scorer));
  return (scorer) => (scorer === "" || reported.has(scorer) ? scorer : OTHER_SCORERS);
}
