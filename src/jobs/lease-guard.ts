/**
 * Decides when leases may expire and old data may be deleted by the clock. An expired lease means that its node
 * is gone only if the node could have renewed it and the clock did not jump.
 */

/** Milliseconds by which the database clock may deviate from elapsed time before it counts as a jump. */
export const JUMP_MS = 2_000;
/**
 * Milliseconds of error. A less exact measurement is not used as a baseline, and indicates a jump only if its
 * error cannot explain the deviation.
 */
const EXACT_MS = 250;
/** Milliseconds after a jump in which nothing is deleted by age: time to correct the clock. */
export const RETENTION_PAUSE_MS = 3_600_000;

/** A measurement in milliseconds of the database clock, since 1970, and of a monotonic clock. */
export interface Moment {
  readonly wall: number;
  readonly steady: number;
  /** Upper bound of the time between the two readings. */
  readonly within: number;
}

export class LeaseGuard {
  readonly #leaseMs: number;
  #last: Moment | undefined;
  #leasesFrom: number;
  #retentionFrom: number;
  #ticked: number;

  /** Starts with a pause of one lease: nodes could not renew while no controller ran. */
  constructor(leaseMs: number, steady: number) {
    this.#leaseMs = leaseMs;
    this.#leasesFrom = steady + leaseMs;
    this.#retentionFrom = steady;
    this.#ticked = steady;
  }

  /**
   * Call this several times per half lease while the process runs. After a gap of more than half a lease, the
   * process was suspended and nodes could not renew through it.
   */
  tick(steady: number): void {
    if (steady - this.#ticked > this.#leaseMs / 2) this.unavailable(steady);
    this.#ticked = steady;
  }

  /** Compares the clocks. Returns the milliseconds by which the database clock jumped, or 0. */
  observe(moment: Moment): number {
    const last = this.#last;
    const isExact = moment.within <= EXACT_MS;
    if (isExact) this.#last = moment;
    if (last === undefined) return 0;
    const jump = moment.wall - last.wall - (moment.steady - last.steady);
    if (Math.abs(jump) <= JUMP_MS + (isExact ? 0 : moment.within)) return 0;
    // A baseline from before the jump is invalid: the next exact measurement becomes the new one.
    if (!isExact) this.#last = undefined;
    this.#leasesFrom = Math.max(this.#leasesFrom, moment.steady + this.#leaseMs);
    this.#retentionFrom = Math.max(this.#retentionFrom, moment.steady + RETENTION_PAUSE_MS);
    return jump;
  }

  /** The store was unavailable, so nodes could not renew. */
  unavailable(steady: number): void {
    this.#leasesFrom = Math.max(this.#leasesFrom, steady + this.#leaseMs);
  }

  /** Whether expired leases and missing heartbeats may be acted on. */
  mayExpire(steady: number): boolean {
    this.tick(steady);
    return steady >= this.#leasesFrom;
  }

  /** Whether data may be deleted by age. */
  mayDelete(steady: number): boolean {
    return steady >= this.#retentionFrom;
  }
}
