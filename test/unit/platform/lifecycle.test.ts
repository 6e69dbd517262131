/** The time that work gets. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { within } from "../../../src/platform/lifecycle.ts";

/** Stops the whole process, timers included. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("work that ends in its time did, whatever it does not wait for", async () => {
  assert.equal(await within(60_000, async () => {}), true);
  assert.equal(await within(0, async () => {}), true);
});

test("work that does not end is left after its time", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  assert.equal(await within(20, () => promise), false);
  assert.equal(await within(0, () => promise), false);
  resolve();
});

test("a process that stood still for longer than the limit brings its work to an end all the same", async () => {
  const work = async () => {
    standStill(1_500);
    await readFile(import.meta.filename);
  };
  assert.equal(await within(1_000, work), true);
});

test("what fails, fails", async () => {
  await assert.rejects(
    within(60_000, async () => {
      throw new TypeError("it does not work");
    }),
    TypeError,
  );
});
