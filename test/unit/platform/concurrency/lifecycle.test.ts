/** Time limits of work. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { within } from "../../../../src/platform/concurrency/lifecycle.ts";

/** Suspends the whole process, including its timers. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("reports work that finishes in time", async () => {
  assert.equal(await within(60_000, async () => {}), true);
  assert.equal(await within(0, async () => {}), true);
});

test("stops waiting for work after the time limit", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  assert.equal(await within(20, () => promise), false);
  assert.equal(await within(0, () => promise), false);
  resolve();
});

test("lets work finish after the process was suspended for longer than the limit", async () => {
  const work = async () => {
    standStill(1_500);
    await readFile(import.meta.filename);
  };
  assert.equal(await within(1_000, work), true);
});

test("throws the error of the work", async () => {
  await assert.rejects(
    within(60_000, async () => {
      throw new TypeError("it does not work");
    }),
    TypeError,
  );
});
