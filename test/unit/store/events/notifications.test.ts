/** Announcements to other controllers: gathered, and within the size that NOTIFY allows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planClass } from "../../../../src/jobs/work.ts";
import type { Announcement } from "../../../../src/store/contract/store.ts";
import { Announcements, announcementOf } from "../../../../src/store/events/notifications.ts";

/** What another controller receives of announcements that are made at once. */
function received(given: readonly Announcement[]): readonly (Announcement | undefined)[] {
  const payloads: string[] = [];
  const announcements = new Announcements((batch) => payloads.push(...batch));
  for (const announcement of given) announcements.announce(announcement);
  announcements.close();
  for (const payload of payloads)
    assert.ok(Buffer.byteLength(payload) < 8_000 - 36, "the sender's id fits too");
  return payloads.map(announcementOf);
}

test("gathers notifications of the same moment", () => {
  const ready = ["a", "b"].map((tenant) => ({ tenant, workClass: planClass(["m"]) }));
  const single = ready.map((one) => ({ kind: "work", ready: [one] }) as const);
  assert.deepEqual(received([...single, { kind: "events" }, ...single, { kind: "events" }]), [
    { kind: "work", ready },
    { kind: "events" },
  ]);
});

test("sends ready tasks of too many tenants as ready tasks of any tenant", () => {
  const ready = Array.from({ length: 500 }, (_, n) => ({
    tenant: `tenant-${n}`,
    workClass: planClass(["m"]),
  }));
  assert.deepEqual(received([{ kind: "work", ready }]), [{ kind: "work", ready: [] }]);
});

test("splits many nodes and many tenants, and omits none", () => {
  const names = Array.from({ length: 1_000 }, (_, n) => `name-${n}`);
  const nodes = received([{ kind: "news", nodeIds: names }]);
  assert.ok(nodes.length > 1);
  assert.deepEqual(
    nodes.flatMap((one) => (one?.kind === "news" ? one.nodeIds : [])),
    names,
  );
  const tenants = received([{ kind: "freed", tenants: names }]);
  assert.deepEqual(
    tenants.flatMap((one) => (one?.kind === "freed" ? one.tenants : [])),
    names,
  );
});
