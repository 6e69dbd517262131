/**
 * What work of the fleet's nodes took, in time. A turn is charged by what its work is said to cost, and who says it may
 * be its tenant's own node; so a tenant whose work took longer pays the rest when it ends.
 */
import type { FairQueue } from "../jobs/fairness.ts";
import type { ClaimedWork } from "../store/work-records.ts";

/** Milliseconds of a slot that cost 1 in the fair share: about what planning a pair takes. */
const UNIT_MS = 1_000;
/** What one lease costs beside what it was charged, at most: a machine that stands still is no tenant's fault. */
const MOST_BESIDE = 600;
/** Bound on memory. Work that never ends here, as that of a node which went to another controller, is forgotten. */
const MOST_GIVEN = 100_000;

interface Given {
  readonly fair: FairQueue;
  readonly tenant: string;
  readonly cost: number;
  readonly at: number;
}

export class SlotTime {
  readonly #now: () => number;
  /** By work and attempt, the longest given first. */
  readonly #given = new Map<string, Given>();

  /** @param now milliseconds of a clock that only goes on. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A node of the fleet has work, and its turn is charged. */
  began({ id, attempt, tenant, cost }: ClaimedWork, fair: FairQueue): void {
    this.#given.set(`${id} ${attempt}`, { fair, tenant, cost, at: this.#now() });
    const [oldest] = this.#given.keys();
    if (this.#given.size > MOST_GIVEN && oldest !== undefined) this.#given.delete(oldest);
  }

  /** Its node has reported how it ended. */
  ended(id: string, attempt: number): void {
    const key = `${id} ${attempt}`;
    const given = this.#given.get(key);
    if (given === undefined) return;
    this.#given.delete(key);
    const { fair, tenant, cost, at } = given;
    const beside = (this.#now() - at) / UNIT_MS - cost;
    if (beside > 0) fair.charge(tenant, Math.min(beside, MOST_BESIDE));
  }

  /** Nothing can be reported at the moment: nobody pays for how long that lasts. */
  excuse(): void {
    this.#given.clear();
  }
}
