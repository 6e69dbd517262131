/** How the controller's services wait, and what they know of claimable work; no store is used. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Listeners } from "../../src/controller/events/listeners.ts";
import { ReadySet } from "../../src/controller/scheduling/ready-set.ts";
import { Notifier, notifyOnAbort } from "../../src/platform/concurrency/notifier.ts";

describe("a notifier", () => {
  test("a notification before or during the wait wakes a waiter, and counts once", async () => {
    const notifier = new Notifier();
    notifier.notify();
    notifier.notify();
    assert.equal(await notifier.wait(), true);
    assert.equal(await notifier.wait(0), false);
    const waiting = notifier.wait();
    notifier.notify();
    assert.equal(await waiting, true);
    assert.equal(await notifier.wait(1), false);
  });

  test("is notified when a signal aborts, and at once if it has aborted already", async () => {
    const abort = new AbortController();
    const notifier = new Notifier();
    notifyOnAbort(abort.signal, notifier);
    const waiting = notifier.wait();
    abort.abort();
    assert.equal(await waiting, true);
    notifyOnAbort(abort.signal, notifier);
    assert.equal(await notifier.wait(), true);
  });
});

test("listeners are called for their key until they unsubscribe", () => {
  const listeners = new Listeners();
  const heard: string[] = [];
  const end = listeners.on("a", () => heard.push("first"));
  listeners.on("a", () => heard.push("second"));
  listeners.on("b", () => heard.push("other"));
  listeners.notify("a");
  end();
  end();
  listeners.notify("a");
  listeners.notify("c");
  assert.deepEqual(heard, ["first", "second", "second"]);
  listeners.notifyAll();
  assert.deepEqual(heard.slice(3), ["second", "other"]);
});

describe("the known claimable work", () => {
  const pairs = fc.record({ tenant: fc.constantFrom("a", "b", "c"), workClass: fc.constantFrom("x", "y") });
  const all = (set: ReadySet): string[] =>
    ["a", "b", "c"]
      .flatMap((tenant) => set.classes(tenant, () => true, 9).map((one) => `${tenant} ${one}`))
      .sort();
  const keys = (of: readonly { tenant: string; workClass: string }[]): string[] =>
    [...new Set(of.map(({ tenant, workClass }) => `${tenant} ${workClass}`))].sort();

  test("consists, after a read, of what the read found and what was announced since it began", () => {
    fc.assert(
      fc.property(fc.array(pairs), fc.array(pairs), fc.array(pairs), (before, found, during) => {
        const set = new ReadySet();
        for (const ready of before) set.add(ready);
        const since = set.stamp();
        for (const ready of during) set.add(ready);
        set.replace(found, since);
        assert.deepEqual(all(set), keys([...found, ...during]));
        assert.equal(set.size, all(set).length);
      }),
    );
  });

  test("a claim that found nothing removes only what was known when it began", () => {
    const set = new ReadySet();
    set.add({ tenant: "a", workClass: "x" });
    set.add({ tenant: "a", workClass: "y" });
    const since = set.stamp();
    set.add({ tenant: "a", workClass: "y" });
    set.remove("a", ["x", "y"], since);
    assert.deepEqual(all(set), ["a y"]);
    assert.deepEqual([...set.tenants((workClass) => workClass === "x")], []);
    assert.deepEqual([...set.tenants(() => true)], ["a"]);
  });

  test("classes are claimed in turns, and one that had work stays known after any earlier claim", () => {
    const set = new ReadySet();
    for (const workClass of ["x", "y", "z"]) set.add({ tenant: "a", workClass });
    const serves = (workClass: string): boolean => workClass !== "y";
    assert.deepEqual(
      set.classes("a", () => true, 2),
      ["x", "y"],
    );
    assert.deepEqual(set.classes("a", serves, 2), ["x", "z"]);
    const since = set.stamp();
    set.renew("a", ["x"]);
    assert.deepEqual(
      set.classes("a", () => true, 2),
      ["y", "z"],
    );
    set.remove("a", ["x", "y"], since);
    assert.deepEqual(all(set), ["a x", "a z"]);
  });
});
