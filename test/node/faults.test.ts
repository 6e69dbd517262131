/** A node through cancellations, outages, refusals and the loss of its session. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PlanReport } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { NodeFixture, planWork, rowsOf, segmentWork } from "./fixture.ts";
import { Peer } from "./peer.ts";

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

test("work that the controller says to stop is killed, not reported, and its slot is free again", async () => {
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

test("work that is cancelled as soon as it is leased is stopped too", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  await peer.until(
    () => peer.heartbeats.some(({ holdMs }) => holdMs > 2000),
    "a heartbeat that is held long",
  );
  const item = peer.offer(segmentWork(fixture.long, long));
  peer.stopWork(item);
  await node.ended("WHOLE", "stopped");
  await fixture.scorerGone();
});

test("a scorer goes on while the controller is away, which hears of it before anything else", async () => {
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
  assert.equal(peer.registrations.length, 1, "its session is the same");
  assert.equal(rowsOf(peer.reports, item).length, film.frameCount);
});

test("what is finished while the controller is away is told in a heartbeat, then reported, once", async () => {
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

test("a report whose answer was lost is sent again, the same as before", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  peer.loseAnswer = true;
  const item = peer.offer(segmentWork(fixture.film, film, 0));
  await peer.until(() => peer.reports.length === 1 && !peer.loseAnswer, "the report whose answer is lost");
  await peer.listen();
  await node.ended("SEGMENT", "done");
  const reports = peer.reports.filter(({ itemId }) => itemId === item.itemId);
  assert.equal(reports.length, 2);
  assert.deepEqual(reports[0], reports[1]);
});

test("a late report is dropped, and the node goes on", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  peer.refusals.push("STALE_ATTEMPT");
  peer.offer(segmentWork(fixture.film, film, 0));
  await node.ended("SEGMENT", "refused");
  const next = await peer.reported(peer.offer(segmentWork(fixture.film, film, 0)));
  assert.equal(next.case, "segment");
  assert.equal(peer.reports.length, 1);
});

test("a report that meets a fault or an outage of the store is sent again", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  peer.refusals.push("INTERNAL", "STORE_UNAVAILABLE", "SHUTTING_DOWN");
  const item = peer.offer(segmentWork(fixture.film, film, 0));
  assert.equal((await peer.reported(item)).case, "segment");
  await node.ended("SEGMENT", "done");
});

test("a result that the controller cannot take ends the attempt as a failure", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  await node.node.started;
  peer.refusals.push("INVALID_REQUEST");
  const report = await peer.reported(peer.offer(segmentWork(fixture.film, film, 0)));
  assert.equal(report.case, "failure");
  assert.equal(report.value.code, "INTERNAL");
});

test("a controller that forgot the node gets it anew; what ran for the old session is killed", async () => {
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

test("a result of a session that is forgotten is reported until it is refused", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { gated: true });
  peer.offer(segmentWork(fixture.film, film));
  await peer.until(() => peer.heartbeats.some(({ running }) => running.length > 0), "the work to run");
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

test("a node whose name is taken over kills what runs and calls no more", async () => {
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

test("a node that is told to stop gives running work back at its limit, and says that it leaves", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  const item = peer.offer(segmentWork(fixture.long, long));
  await peer.running(item, 1);
  await node.node.drain(0);
  assert.equal((await peer.reported(item)).case, "handBack");
  assert.equal(peer.heartbeats.at(-1)?.leaving, true);
  assert.deepEqual(await fixture.media.leftovers(), []);
});

test("a node that is told to stop finishes what it can, and takes nothing new", async () => {
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

test("a node that the controller drains finishes what runs, and stays", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slots: 2, gated: true });
  const item = peer.offer(segmentWork(fixture.film, film));
  await peer.running(item);
  peer.askToDrain();
  await peer.until(() => peer.heartbeats.at(-1)?.draining === true, "a heartbeat that says so");
  await fixture.gate.pass();
  assert.equal((await peer.reported(item)).case, "segment");
  peer.offer(segmentWork(fixture.film, film));
  const heartbeats = peer.heartbeats.length;
  await peer.until(() => peer.heartbeats.length > heartbeats, "another heartbeat");
  assert.equal(peer.left, 1);
  assert.throws(() => node.node.checkReady(), { code: "SHUTTING_DOWN" });
});

test("a node that ends at once leaves no scorer", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slow: true });
  const item = peer.offer(segmentWork(fixture.long, long));
  await peer.running(item, 1);
  await node.node.stop();
  assert.deepEqual(await fixture.media.leftovers(), []);
  assert.ok(peer.reports.every(({ itemId }) => itemId !== item.itemId));
});
