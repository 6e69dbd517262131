/** Draws the faults of a run and their times from a seed, so that a run can be repeated. */

/** Every kind of fault, with its weight among those that a store allows. */
export const BLOWS = {
  /** kill -9 of the controller, which is restarted later. */
  controller: { weight: 5, database: false, kill: true },
  /** kill -9 of a node, which is restarted later under the same name. */
  node: { weight: 5, database: false, kill: true },
  /** kill -9 of a running scorer. */
  scorer: { weight: 6, database: false, kill: true },
  /** SIGSTOP of a node for longer than a lease, then SIGCONT. */
  "node stopped": { weight: 2, database: false, kill: false },
  /** SIGSTOP of the controller, for shorter or longer than a lease, then SIGCONT. */
  "controller stopped": { weight: 1, database: false, kill: false },
  /** One of the database's connections is ended by its administrator. */
  "database connection": { weight: 3, database: true, kill: true },
  /** kill -9 of one process of the database, which then restarts itself with crash recovery. */
  "database process": { weight: 3, database: true, kill: true },
  /** The database is stopped at once, without a checkpoint, and restarted later. */
  "database stopped": { weight: 2, database: true, kill: true },
  /** kill -9 of the database's first process and then of all others; restarted later. */
  postmaster: { weight: 2, database: true, kill: true },
} as const satisfies Record<string, { weight: number; database: boolean; kill: boolean }>;

export type FaultKind = keyof typeof BLOWS;

export interface Blow {
  readonly kind: FaultKind;
  /** Milliseconds after the previous fault. */
  readonly afterMs: number;
  /** Index of the node, for faults of nodes. */
  readonly node: number;
  /** Milliseconds that the target stays down or paused, if it does. */
  readonly downMs: number;
}

export interface Field {
  readonly nodes: number;
  /** Whether the store is a database with its own processes. */
  readonly database: boolean;
  readonly leaseMs: number;
}

/** Maximum milliseconds between faults. */
const LONGEST_PAUSE_MS = 2_000;

/** An endless sequence of faults: each kind once in random order, then by weight. */
export function* blows(random: (below: number) => number, field: Field): Generator<Blow, never> {
  const kinds = (Object.keys(BLOWS) as FaultKind[]).filter((kind) => field.database || !BLOWS[kind].database);
  for (const first = [...kinds]; first.length > 0; ) {
    for (const kind of first.splice(random(first.length), 1)) yield drawn(kind, random, field);
  }
  for (;;) yield drawn(drawKind(kinds, random), random, field);
}

function drawn(kind: FaultKind, random: (below: number) => number, field: Field): Blow {
  const afterMs = random(LONGEST_PAUSE_MS);
  const node = random(field.nodes);
  return { kind, afterMs, node, downMs: downMs(kind, random, field) };
}

function drawKind(kinds: readonly FaultKind[], random: (below: number) => number): FaultKind {
  let left = random(kinds.reduce((sum, kind) => sum + BLOWS[kind].weight, 0));
  for (const kind of kinds) {
    left -= BLOWS[kind].weight;
    if (left < 0) return kind;
  }
  return "scorer";
}

/** Outages from none to longer than a lease; one in four is longer. */
function downMs(kind: FaultKind, random: (below: number) => number, { leaseMs }: Field): number {
  if (kind === "node stopped") return leaseMs + 1_000 + random(leaseMs);
  return random(4) === 0 ? leaseMs + random(leaseMs) : random(1_500);
}
