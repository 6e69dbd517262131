/**
 * Charges tenants for the time that their tasks took on fleet nodes. A claim is charged by the task's declared cost,
 * which a tenant's own node may have reported. If the task took longer, the tenant is charged the rest when it ends.
 */
import type { FairQueue } from "../../jobs/fairness.ts";
import type { ClaimedWork } from "../../store/contract/task-records.ts";

/** Milliseconds of a slot that cost 1 in the fair queue; about the time to plan a pair. */
const UNIT_MS = 1_000;
/** Maximum extra charge of one lease, because a frozen machine is not the tenant's fault. */
const MAX_BESIDE = 600;
/** Bounds memory. Tasks that never end here, such as those of a node that moved to another controller, are dropped. */
const MAX_GIVEN = 100_000;

interface Given {
  readonly fair: FairQueue;
  readonly tenant: string;
  readonly cost: number;
  readonly at: number;
}

export class SlotTime {
  readonly #now: () => number;
  /** By task and attempt, oldest first. */
  readonly #given = new Map<string, Given>();

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records that a fleet node got a task and that its cost was charged. */
  began({ id, attempt, tenant, cost }: ClaimedWork, fair: FairQueue): void {
    this.#given.set(`${id} ${attempt}`, { fair, tenant, cost, at: this.#now() });
    const [oldest] = this.#given.keys();
    if (this.#given.size > MAX_GIVEN && oldest !== undefined) this.#given.delete(oldest);
  }

  /** Charges the rest when the node reported the end of the task. */
  ended(id: string, attempt: number): void {
    const key = `${id} ${attempt}`;
    const given = this.#given.get(key);
    if (given === undefined) return;
    this.#given.delete(key);
    const { fair, tenant, cost, at } = given;
    const beside = (this.#now() - at) / UNIT_MS - cost;
    if (beside > 0) fair.charge(tenant, Math.min(beside, MAX_BESIDE));
  }

  /** Forgets running tasks while reports are impossible, so that no tenant is charged for an outage. */
  reset(): void {
    this.#given.clear();
  }
}
