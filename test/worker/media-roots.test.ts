/** For each task a node reads only files of its tenant, regardless of the task: when planning and for every segment. */
import assert from "node:assert/strict";
import { copyFile, mkdir, rm, symlink } from "node:fs/promises";
import { after, before, test } from "node:test";
import { MediaRoots } from "../../src/engine/files/roots.ts";
import { openEngine } from "../../src/engine/open.ts";
import type { PlanReport, WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { NodeFixture, type Pair, planWork, RunningNode, segmentWork } from "./fixture.ts";
import { Peer } from "./peer.ts";

let fixture: NodeFixture;
let peer: Peer;
let node: RunningNode;
/** The same film in the directory of each tenant. */
let films: Record<"a" | "b", Pair>;

before(async () => {
  fixture = await NodeFixture.open();
  peer = await Peer.open();
  films = { a: await filmOf("a"), b: await filmOf("b") };
  const mediaRoots = new MediaRoots([fixture.media.file("{tenant}")]);
  node = new RunningNode(peer.address, await openEngine({ threads: 1, mediaRoots }), 1);
  node.node.start();
  await peer.until(() => peer.registrations.length > 0, "the registration");
});
after(async () => {
  await node[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
  await fixture.close();
});

async function filmOf(tenant: string): Promise<Pair> {
  const film = {
    reference: fixture.media.file(`${tenant}/r.y4m`),
    distorted: fixture.media.file(`${tenant}/d.mp4`),
  };
  await mkdir(fixture.media.file(tenant));
  await copyFile(fixture.film.reference, film.reference);
  await copyFile(fixture.film.distorted, film.distorted);
  return film;
}

async function planned(pair: Pair, tenantId: string): Promise<PlanReport> {
  const report = await peer.reported(peer.offer({ ...planWork(pair), tenantId }));
  assert.equal(report.case, "plan", JSON.stringify(report.value));
  return report.value;
}

async function refused(item: WorkItem): Promise<string> {
  const report = await peer.reported(item);
  assert.equal(report.case, "failure");
  assert.equal(report.value.code, "PATH_NOT_ALLOWED");
  return report.value.message;
}

test("plans and scores the tenant's own film", async () => {
  const plan = await planned(films.a, "a");
  const report = await peer.reported(peer.offer({ ...segmentWork(films.a, plan, 0), tenantId: "a" }));
  assert.equal(report.case, "segment");
});

test("does not plan another tenant's film, whether or not it exists", async () => {
  const missing = { ...films.b, distorted: fixture.media.file("b/none.mp4") };
  const messages = new Set<string>();
  for (const pair of [films.b, missing]) {
    const message = await refused(
      peer.offer({ ...planWork({ ...films.a, distorted: pair.distorted }), tenantId: "a" }),
    );
    messages.add(message.replace(JSON.stringify(pair.distorted), "PATH"));
  }
  assert.equal(messages.size, 1, [...messages].join("\n"));
  for (const tenantId of ["", "..", "{tenant}", "A"]) {
    await refused(peer.offer({ ...planWork(films.a), tenantId }));
  }
});

test("does not score it with a plan of its owner's node either", async () => {
  const plan = await planned(films.b, "b");
  await refused(peer.offer({ ...segmentWork(films.b, plan, 0), tenantId: "a" }));
  await refused(peer.offer({ ...segmentWork(films.b, plan), tenantId: "a" }));
});

test("follows no link that leads outside, even if it was created after the plan", async () => {
  const plan = await planned(films.a, "a");
  await rm(films.a.distorted);
  await symlink(films.b.distorted, films.a.distorted);
  await refused(peer.offer({ ...segmentWork(films.a, plan, 0), tenantId: "a" }));
  await refused(peer.offer({ ...planWork(films.a), tenantId: "a" }));
});
