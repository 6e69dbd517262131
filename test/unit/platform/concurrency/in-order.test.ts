import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "../../../../src/platform/concurrency/in-order.ts";

/** Work on numbers whose results come when the test says so. */
function work() {
  const running = new Map<number, PromiseWithResolvers<string>>();
  const start = (item: number) => {
    const result = Promise.withResolvers<string>();
    running.set(item, result);
    return result.promise;
  };
  return { running, start };
}

test("results come in the order of the items, while a few run at once", async () => {
  const { running, start } = work();
  const results = inOrder([1, 2, 3, 4], 2, start);
  const first = results.next();
  assert.deepEqual([...running.keys()], [1, 2]);
  running.get(2)?.resolve("two");
  running.get(1)?.resolve("one");
  assert.deepEqual((await first).value, [1, "one"]);
  const second = results.next();
  assert.deepEqual([...running.keys()], [1, 2, 3]);
  assert.deepEqual((await second).value, [2, "two"]);
  await Promise.all([...running.values()].map(async ({ resolve }) => resolve("three")));
  await results.next();
  running.get(4)?.resolve("four");
  assert.deepEqual((await results.next()).value, [4, "four"]);
  assert.equal((await results.next()).done, true);
});

test("a failure comes in its turn, after the work that began has ended", async () => {
  const { running, start } = work();
  const results = inOrder([1, 2, 3], 3, start);
  const first = results.next();
  running.get(2)?.reject(new Error("broken"));
  running.get(1)?.resolve("one");
  assert.deepEqual((await first).value, [1, "one"]);
  const second = results.next();
  let ended = false;
  second
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  await new Promise(setImmediate);
  assert.equal(ended, false);
  running.get(3)?.resolve("three");
  await assert.rejects(second, /broken/);
});
