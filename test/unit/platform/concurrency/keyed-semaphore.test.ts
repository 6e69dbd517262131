import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyedSemaphore } from "../../../../src/platform/concurrency/keyed-semaphore.ts";

test("runs a limited number per tenant in order of arrival, without holding up other tenants", async () => {
  const semaphore = new KeyedSemaphore(2);
  const begun: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const run = (tenant: string, name: string) => {
    const gate = Promise.withResolvers<void>();
    gates.set(name, gate);
    return semaphore.run(tenant, async () => {
      begun.push(name);
      await gate.promise;
      return name;
    });
  };
  const end = (name: string) => gates.get(name)?.resolve();
  const mine = ["a", "b", "c", "d"].map((name) => run("mine", name));
  const other = run("other", "e");
  assert.deepEqual(begun, ["a", "b", "e"]);
  end("b");
  assert.equal(await mine[1], "b");
  assert.deepEqual(begun, ["a", "b", "e", "c"]);
  gates.get("a")?.reject(new Error("broken"));
  await assert.rejects(mine[0] ?? assert.fail(), /broken/);
  for (const name of ["c", "d", "e"]) end(name);
  assert.deepEqual(await Promise.all([mine[2], mine[3], other]), ["c", "d", "e"]);
  const later = run("mine", "f");
  end("f");
  assert.equal(await later, "f");
});
