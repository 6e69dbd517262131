/** Batching of calls: which calls, in what order, and how a failure affects the others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../src/platform/failure.ts";
import { Batcher } from "../../src/store/connection/batcher.ts";

/** A batch function whose runs wait until they are released. */
function held() {
  const runs: { key: string; inputs: readonly number[]; go: () => void }[] = [];
  const batcher = new Batcher<number, string>(
    async (key, inputs) => {
      await new Promise<void>((resolve) => runs.push({ key, inputs, go: resolve }));
      return inputs.map((input) => `${key}${input}`);
    },
    (input) => input * 2 ** 18,
  );
  /** Releases a run once it has started. */
  const go = async (place: number) => {
    while (runs.length <= place) await turn();
    runs[place]?.go();
  };
  return { batcher, runs, go };
}

/** Waits for one turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const one = () => 1;

test("batches calls of one turn in order, as many as fit, and those that arrive during a run", async () => {
  const { batcher, runs, go } = held();
  const calls = [1, 3, 5, 2, 9].map((input) => batcher.call("a", input));
  while (runs.length === 0) await turn();
  calls.push(batcher.call("a", 4));
  for (const place of [0, 1, 2, 3]) await go(place);
  assert.deepEqual(await Promise.all(calls), ["a1", "a3", "a5", "a2", "a9", "a4"]);
  assert.deepEqual(
    runs.map(({ inputs }) => inputs),
    [[1, 3], [5, 2], [9], [4]],
  );
  const later = batcher.call("a", 6);
  await go(4);
  assert.equal(await later, "a6");
});

test("takes half of many calls, so that one batch runs while the callers of the previous one continue", async () => {
  const sizes: number[] = [];
  const batcher = new Batcher<number, number>(async (_, inputs) => {
    sizes.push(inputs.length);
    return inputs;
  }, one);
  await Promise.all(Array.from({ length: 200 }, (_, input) => batcher.call("a", input)));
  assert.deepEqual(sizes, [64, 64, 36, 18, 16, 2]);
});

test("batches of different keys run concurrently", async () => {
  const { batcher, runs } = held();
  void batcher.call("a", 1);
  const other = batcher.call("b", 2);
  while (runs.length < 2) await turn();
  runs.find(({ key }) => key === "b")?.go();
  assert.equal(await other, "b2");
});

test("a failing call does not fail the others in its batch", async () => {
  const batcher = new Batcher<number, number>(async (_, inputs) => {
    if (inputs.includes(13)) throw new Failure("INVALID_REQUEST", "Thirteen cannot be stored.");
    return inputs.map((input) => (input === 7 ? new Failure("JOB_FINISHED", "Seven has ended.") : input));
  }, one);
  const answers = await Promise.allSettled([1, 2, 13, 7, 4].map((input) => batcher.call("a", input)));
  assert.deepEqual(
    answers.map((answer) => (answer.status === "fulfilled" ? answer.value : answer.reason.code)),
    [1, 2, "INVALID_REQUEST", "JOB_FINISHED", 4],
  );
});

test("does not retry calls one by one if the store is unavailable", async () => {
  let runs = 0;
  const batcher = new Batcher<number, number>(async () => {
    runs++;
    throw new Failure("STORE_UNAVAILABLE", "It is away.");
  }, one);
  const answers = await Promise.allSettled([1, 2, 3].map((input) => batcher.call("a", input)));
  assert.ok(answers.every(({ status }) => status === "rejected"));
  assert.equal(runs, 1);
});
