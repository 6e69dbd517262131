/**
 * When leases and retentions may be judged by the clock. A lease that ran out says that its node is
 * gone only if the node could have renewed it, and if the clock went on as time did.
 */

/** The database's clock may differ by this much from time gone by before it counts as a jump. */
export const JUMP_MS = 2_000;
/** A moment that is known less exactly is no measure for later ones, and tells of a jump only where that is beyond doubt. */
const EXACT_MS = 250;
/** After a jump nothing is deleted for its age for so long: time for somebody to set the clock right. */
export const RETENTION_PAUSE_MS = 3_600_000;

/** Both in milliseconds: the database's clock, since 1970, and a clock that only ever goes on. */
export interface Moment {
  readonly wall: number;
  readonly steady: number;
  /** The two were read at most so far apart. */
  readonly within: number;
}

export class LeaseGuard {
  readonly #leaseMs: number;
  #last: Moment | undefined;
  #leasesFrom: number;
  #retentionFrom: number;
  #ticked: number;

  /** Begins with a pause of one lease: nodes could not renew while no controller ran. */
  constructor(leaseMs: number, steady: number) {
    this.#leaseMs = leaseMs;
    this.#leasesFrom = steady + leaseMs;
    this.#retentionFrom = steady;
    this.#ticked = steady;
  }

  /**
   * This process runs: to be called several times in half a lease. Where it was not, the process
   * stood still, and nodes could not renew through it.
   */
  tick(steady: number): void {
    if (steady - this.#ticked > this.#leaseMs / 2) this.unavailable(steady);
    this.#ticked = steady;
  }

  /** Compares the clocks. Returns the milliseconds by which the database's jumped, 0 when it did not. */
  observe(moment: Moment): number {
    const last = this.#last;
    const isExact = moment.within <= EXACT_MS;
    if (isExact) this.#last = moment;
    if (last === undefined) return 0;
    const jump = moment.wall - last.wall - (moment.steady - last.steady);
    if (Math.abs(jump) <= JUMP_MS + (isExact ? 0 : moment.within)) return 0;
    // What was measured before the jump is no measure any more: the next exact moment begins anew.
    if (!isExact) this.#last = undefined;
    this.#leasesFrom = Math.max(this.#leasesFrom, moment.steady + this.#leaseMs);
    this.#retentionFrom = Math.max(this.#retentionFrom, moment.steady + RETENTION_PAUSE_MS);
    return jump;
  }

  /** The store could not be reached: nodes could not renew either. */
  unavailable(steady: number): void {
    this.#leasesFrom = Math.max(this.#leasesFrom, steady + this.#leaseMs);
  }

  /** Whether leases and heartbeats that ran out may be taken as such. */
  mayExpire(steady: number): boolean {
    this.tick(steady);
    return steady >= this.#leasesFrom;
  }

  /** Whether what is old may be deleted. */
  mayDelete(steady: number): boolean {
    return steady >= this.#retentionFrom;
  }
}
