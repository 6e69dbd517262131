/** A node through cancellations, outages, refusals and the loss of its session. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PlanReport } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { NodeFixture, planWork, rowsOf, segmentWork } from "../worker/fixture.ts";
import { Peer } from "../worker/peer.ts";

let fixture: NodeFixture;
let film: PlanReport;
let long: PlanReport;

before(async () => {
  fixture = await NodeFixture.open();
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  await node.node.started;
  film = await fixture.plan(peer, fixture.film);
  long = await fixture.plan(peer, fixture.long);
});
after(() => fixture.close());

test("kills a task that the controller stops, does not report it, and frees its slot", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  const item = peer.offer(segmentWork(fixture.long, long));
  await peer.running(item, 1);
  peer.stopWork(item);
  await fixture.scorerGone();
  await node.ended("WHOLE", "stopped");
  await peer.reported(peer.offer(planWork(fixture.film)));
  assert.ok(peer.reports.every(({ itemId }) => itemId !== item.itemId));
  assert.deepEqual(await fixture.media.leftovers(), []);
});

test("stops a task that is cancelled as soon as it is leased", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  await peer.until(() => peer.heartbeats.some(({ holdMs }) => holdMs > 2000), "a held heartbeat");
  const item = peer.offer(segmentWork(fixture.long, long));
  peer.stopWork(item);
  await node.ended("WHOLE", "stopped");
  await fixture.scorerGone();
});

test("keeps a scorer running while the controller is down, and sends a heartbeat first afterwards", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { gated: true });
  const item = peer.offer(segmentWork(fixture.film, film));
  await peer.running(item);
  await fixture.scorerRuns();
  peer.cut();
  const calls = peer.calls.length;
  const heartbeats = peer.heartbeats.length;
  await node.lost();
  assert.throws(() => node.node.checkReady(), { code: "SERVER_UNREACHABLE" });
  await fixture.scorerRuns();
  await peer.listen();
  await peer.until(() => peer.calls.length > calls, "the first call after the outage");
  assert.equal(peer.calls[calls], "heartbeat");
  assert.deepEqual(
    peer.heartbeats[heartbeats]?.running.map(({ itemId }) => itemId),
    [item.itemId],
  );
  await fixture.gate.pass();
  assert.equal((await peer.reported(item)).case, "segment");
  assert.equal(peer.registrations.length, 1, "the session is the same");
  assert.equal(rowsOf(peer.reports, item).length, film.frameCount);
});

test("lists a task finished during an outage in a heartbeat, then reports it once", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { gated: true });
  const item = peer.offer(segmentWork(fixture.film, film));
  await peer.running(item);
  peer.cut();
  await node.lost();
  await fixture.gate.pass();
  await node.finished();
  const calls = peer.calls.length;
  const heartbeats = peer.heartbeats.length;
  await peer.listen();
  assert.equal((await peer.reported(item)).case, "segment");
  assert.equal(peer.calls[calls], "heartbeat");
  assert.deepEqual(
    peer.heartbeats[heartbeats]?.running.map(({ itemId }) => itemId),
    [item.itemId],
  );
  await node.ended("WHOLE", "done");
  assert.equal(peer.reports.filter(({ itemId }) => itemId === item.itemId).length, 1);
});

test("repeats a report unchanged if its response was lost", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  peer.loseAnswer = true;
  const item = peer.offer(segmentWork(fixture.film, film, 0));
  await peer.until(() => peer.reports.length === 1 && !peer.loseAnswer, "the report whose response is lost");
  await peer.listen();
  await node.ended("SEGMENT", "done");
  const reports = peer.reports.filter(({ itemId }) => itemId === item.itemId);
  assert.equal(reports.length, 2);
  assert.deepEqual(reports[0], reports[1]);
});

test("drops a late report and continues", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  peer.refusals.push("STALE_ATTEMPT");
  peer.offer(segmentWork(fixture.film, film, 0));
  await node.ended("SEGMENT", "refused");
  const next = await peer.reported(peer.offer(segmentWork(fixture.film, film, 0)));
  assert.equal(next.case, "segment");
  assert.equal(peer.reports.length, 1);
});

test("repeats a report after an error of the controller or its store", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  peer.refusals.push("INTERNAL", "STORE_UNAVAILABLE", "SHUTTING_DOWN");
  const item = peer.offer(segmentWork(fixture.film, film, 0));
  assert.equal((await peer.reported(item)).case, "segment");
  await node.ended("SEGMENT", "done");
});

test("ends the attempt as a failure if the controller rejects the result", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  await node.node.started;
  peer.refusals.push("INVALID_REQUEST");
  const report = await peer.reported(peer.offer(segmentWork(fixture.film, film, 0)));
  assert.equal(report.case, "failure");
  assert.equal(report.value.code, "INTERNAL");
});

test("registers again with a controller that forgot it, and kills tasks of the old session", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  const item = peer.offer(segmentWork(fixture.long, long));
  await peer.running(item, 1);
  peer.endSession("SESSION_UNKNOWN");
  await peer.until(() => peer.registrations.length === 2, "the second registration");
  await node.ended("WHOLE", "stopped");
  const next = peer.offer(planWork(fixture.film));
  await peer.reported(next);
  const sessions = peer.reports.map(({ session }) => session);
  assert.deepEqual(sessions, [peer.sessions.at(-1)]);
});

test("reports the result of a forgotten session until it is refused", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { gated: true });
  peer.offer(segmentWork(fixture.film, film));
  await peer.until(() => peer.heartbeats.some(({ running }) => running.length > 0), "the task to run");
  peer.cut();
  await node.lost();
  await fixture.gate.pass();
  await node.finished();
  peer.endSession("SESSION_UNKNOWN");
  await peer.listen();
  await node.ended("WHOLE", "refused");
  assert.equal(peer.registrations.length, 2);
  assert.equal(peer.reports.length, 0);
});

test("kills its tasks and makes no more calls when another node takes its name", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  const item = peer.offer(segmentWork(fixture.long, long));
  await peer.running(item, 1);
  peer.endSession("NODE_SUPERSEDED");
  assert.equal((await node.node.superseded).code, "NODE_SUPERSEDED");
  await node.ended("WHOLE", "stopped");
  await fixture.scorerGone();
  assert.equal(peer.registrations.length, 1);
});

test("hands running tasks back at its deadline when stopped, and signs off", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  const item = peer.offer(segmentWork(fixture.long, long));
  await peer.running(item, 1);
  await node.node.drain(0);
  assert.equal((await peer.reported(item)).case, "handBack");
  assert.equal(peer.heartbeats.at(-1)?.leaving, true);
  assert.deepEqual(await fixture.media.leftovers(), []);
});

test("finishes what it can when stopped, and takes no new tasks", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { gated: true });
  const item = peer.offer(segmentWork(fixture.film, film));
  await peer.running(item);
  const drained = node.node.drain(300_000);
  peer.offer(segmentWork(fixture.film, film));
  await fixture.gate.pass();
  await drained;
  assert.equal((await peer.reported(item)).case, "segment");
  assert.equal(peer.left, 1);
  assert.equal(peer.heartbeats.at(-1)?.leaving, true);
});

test("finishes running tasks when the controller drains it, and stays connected", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slots: 2, gated: true });
  const item = peer.offer(segmentWork(fixture.film, film));
  await peer.running(item);
  peer.askToDrain();
  await peer.until(() => peer.heartbeats.at(-1)?.draining === true, "a heartbeat that reports draining");
  await fixture.gate.pass();
  assert.equal((await peer.reported(item)).case, "segment");
  peer.offer(segmentWork(fixture.film, film));
  const heartbeats = peer.heartbeats.length;
  await peer.until(() => peer.heartbeats.length > heartbeats, "another heartbeat");
  assert.equal(peer.left, 1);
  assert.throws(() => node.node.checkReady(), { code: "SHUTTING_DOWN" });
});

test("leaves no scorer when it ends at once", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  const item = peer.offer(segmentWork(fixture.long, long));
  await peer.running(item, 1);
  await node.node.stop();
  assert.deepEqual(await fixture.media.leftovers(), []);
  assert.ok(peer.reports.every(({ itemId }) => itemId !== item.itemId));
});
