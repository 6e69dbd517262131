/** When queued jobs are counted and what is admitted meanwhile, with a store whose counts end when the test says so. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { QueueRoom, type Settle } from "../../src/controller/jobs/queue-quota.ts";
import { Failure } from "../../src/platform/failure.ts";
import { refused } from "./system.ts";

/** The queue of a limit, and its counts in the order in which they start. */
class Counted {
  limit: number;
  /** Milliseconds; only the test advances this clock. */
  now = 0;
  readonly room: QueueRoom;
  readonly #begun: PromiseWithResolvers<number>[] = [];
  #heard = Promise.withResolvers<void>();

  constructor(limit: number) {
    this.limit = limit;
    const queued = () => {
      const count = Promise.withResolvers<number>();
      this.#begun.push(count);
      this.#heard.resolve();
      return count.promise;
    };
    this.room = new QueueRoom(
      { queued },
      () => this.limit,
      () => this.now,
    );
  }

  /** Running counts. */
  get begun(): number {
    return this.#begun.length;
  }

  /** The next count, as soon as it starts. */
  async next(): Promise<PromiseWithResolvers<number>> {
    for (;;) {
      const count = this.#begun.shift();
      if (count !== undefined) return count;
      this.#heard = Promise.withResolvers<void>();
      await this.#heard.promise;
    }
  }

  take(jobs = 1): Promise<Settle> {
    return this.room.take("t", jobs);
  }
}

const turn = () => new Promise(setImmediate);

describe("the capacity of a queue", () => {
  test("is counted once for all concurrent submissions, and then cached", async () => {
    const counted = new Counted(10);
    const asked = [counted.take(2), counted.take(3)];
    (await counted.next()).resolve(4);
    for (const settle of await Promise.all(asked)) settle(1);
    // 4 and 2: three of the five existed before.
    (await counted.take(4))(4);
    assert.equal(counted.begun, 0);
  });

  test("is counted again before anything is refused, when all earlier submissions are settled", async () => {
    const counted = new Counted(3);
    const first = counted.take(2);
    (await counted.next()).resolve(0);
    const settle = await first;
    const [second, third] = [counted.take(2), counted.take(1)];
    await turn();
    assert.equal(counted.begun, 0, "a job being stored may or may not be counted");
    settle(2);
    (await counted.next()).resolve(2);
    const failure = await refused(second, "TENANT_QUEUE_FULL");
    assert.deepEqual(failure.found, { limit: 3, queued: 2, submitted: 2 });
    assert.ok((failure.retryAfterMs ?? 0) > 0);
    (await third)(1);
  });

  test("refuses nobody by a count that started earlier", async () => {
    const counted = new Counted(1);
    const first = refused(counted.take(), "TENANT_QUEUE_FULL");
    const count = await counted.next();
    const second = counted.take();
    count.resolve(1);
    await first;
    (await counted.next()).resolve(0);
    (await second)(1);
  });

  test("includes submissions that settle during a count, and is never counted too low", async () => {
    const counted = new Counted(4);
    const first = counted.take(1);
    (await counted.next()).resolve(0);
    const settle = await first;
    const waits = counted.take(4);
    settle(1);
    const exact = await counted.next();
    exact.resolve(1);
    await refused(waits, "TENANT_QUEUE_FULL");
    // Three more by this controller, one of which existed before.
    const [one, two] = [await counted.take(2), await counted.take(1)];
    one(1);
    two(1);
    (await counted.take(1))(1);
    const more = refused(counted.take(1), "TENANT_QUEUE_FULL");
    (await counted.next()).resolve(4);
    await more;
  });

  test("is counted again after a second, without a submission waiting for it", async () => {
    const counted = new Counted(3);
    const first = counted.take(1);
    (await counted.next()).resolve(0);
    (await first)(1);
    counted.now = 1_000;
    (await counted.take(1))(1);
    assert.equal(counted.begun, 0);
    counted.now = 1_001;
    (await counted.take(1))(1);
    assert.equal(counted.begun, 1);
    // One of the earlier jobs has left the queue.
    (await counted.next()).resolve(1);
    await turn();
    (await counted.take(1))(1);
    assert.equal(counted.begun, 0);
  });

  test("reports a failed count to waiting submissions, and counts for the next one", async () => {
    const counted = new Counted(1);
    const waits = [counted.take(), counted.take()];
    (await counted.next()).reject(new Failure("STORE_UNAVAILABLE", "The store is away."));
    for (const wait of waits) await refused(wait, "STORE_UNAVAILABLE");
    const next = counted.take();
    (await counted.next()).resolve(0);
    (await next)(1);
  });

  test("follows the current limit, and counts nothing without one", async () => {
    const counted = new Counted(1);
    const first = refused(counted.take(5), "TENANT_QUEUE_FULL");
    (await counted.next()).resolve(0);
    assert.match((await first).message, /at most 1 at once/);
    counted.limit = 5;
    (await counted.take(5))(5);
    counted.limit = Number.POSITIVE_INFINITY;
    (await counted.take(1_000_000))(1_000_000);
    assert.equal(counted.begun, 0);
  });
});
