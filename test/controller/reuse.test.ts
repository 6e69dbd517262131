/** Which submissions a controller answers with an earlier result, and which it has scored. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { fileIdentity } from "../../src/engine/files/identity.ts";
import {
  type Job,
  Job_State,
  JobGate_Verdict,
  SubmitJobsRequestSchema,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import { until } from "../waiting.ts";
import { caller, Peer } from "./peer.ts";
import { CAPABILITIES, planReport, segmentReport } from "./scored.ts";
import { refused, System, submission } from "./system.ts";

const FRAMES = 100;
const HERE = hash("sha256", "these programs", "hex");
const ELSEWHERE = hash("sha256", "other programs", "hex");

let system: System;
let folder: string;
let pair: { readonly reference: string; readonly distorted: string };

before(async () => {
  system = await System.open();
  folder = await mkdtemp(join(tmpdir(), "svc-files-"));
  pair = { reference: join(folder, "reference.mp4"), distorted: join(folder, "distorted.mp4") };
  for (const path of Object.values(pair)) await writeFile(path, path);
  await settled();
});
after(async () => {
  await system.close();
  await rm(folder, { recursive: true });
});

/** Waits until the times of both files tell whether they were changed. */
async function settled(): Promise<void> {
  for (const path of Object.values(pair))
    await until(async () => (await fileIdentity(path)) !== undefined, "the file is left alone");
}

/** A node whose default scorer has this digest. */
function node(tenant: string, scoredBy = HERE, more: Partial<typeof CAPABILITIES> = {}): Promise<Peer> {
  return Peer.register(system.nodes, tenant, {
    capabilities: { ...CAPABILITIES, ...more, scoredBy } as never,
  });
}

/** Plans and scores all that there is, as an engine does that sees the files. Returns the number of scored segments. */
async function work(peer: Peer, scoredBy = HERE): Promise<number> {
  const [referenceIdentity, distortedIdentity] = await Promise.all(Object.values(pair).map(fileIdentity));
  for (let scored = 0; ; ) {
    const item = await peer.pull();
    if (item === undefined) return scored;
    if (item.work.case === "plan") {
      const plan = planReport(FRAMES, 50);
      const { reference: _, distorted: __, ...request } = item.request ?? assert.fail();
      const asked = JSON.stringify(request, (_key, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
      const segments = plan.segments.map((one) => ({
        ...one,
        key: new Uint8Array(hash("sha256", `${asked} ${one.segment}`, "buffer")),
      }));
      const known = {
        referenceIdentity: referenceIdentity ?? "",
        distortedIdentity: distortedIdentity ?? "",
      };
      await peer.report(item, { case: "plan", value: { ...plan, segments, scoredBy, ...known } });
    } else if (item.work.case === "segment") {
      const report = segmentReport(item.work.value.segment, FRAMES);
      await peer.report(item, { case: "segment", value: { ...report, scoredBy } });
      scored++;
    } else await peer.report(item, { case: "failure", value: { code: "INTERNAL", message: "no stills" } });
  }
}

async function scoredJob(tenant: string, peer: Peer, spec: object = {}): Promise<Job> {
  const { job } = await system.submit(tenant, { ...pair, ...spec });
  await work(peer);
  return system.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
}

const stateOf = async (tenant: string, spec: object = {}) => {
  const { job } = await system.submit(tenant, { ...pair, ...spec });
  if (job.state === Job_State.SUCCEEDED) return "SUCCEEDED";
  assert.equal(job.state, Job_State.QUEUED);
  await system.cancel(tenant, job.id);
  return "QUEUED";
};

test("a repeated request reuses the result at once, but not that of another tenant", async () => {
  const peer = await node("one");
  const job = await scoredJob("one", peer, { name: "first", priority: 3 });
  const { job: again } = await system.submit("one", { ...pair, name: "other", labels: { a: "b" } });
  assert.deepEqual([again.state, again.reuse?.jobId], [Job_State.SUCCEEDED, job.id]);
  assert.deepEqual((await system.job("one", again.id)).result, (await system.job("one", job.id)).result);
  const stranger = await node("two");
  const { job: other } = await system.submit("two", pair);
  assert.deepEqual([other.state, other.reuse], [Job_State.QUEUED, undefined]);
  assert.equal(await work(stranger), 2, "its segments are scored");
  assert.equal((await system.job("two", other.id)).reuse, undefined);
});

test("with noCache, or another request, the pair is scored", async () => {
  const peer = await node("requests");
  await scoredJob("requests", peer);
  assert.equal(await stateOf("requests"), "SUCCEEDED");
  for (const spec of [{ noCache: true }, { features: ["psnr"] }, { subsample: 2 }, { fix: true }])
    assert.equal(await stateOf("requests", spec), "QUEUED", JSON.stringify(spec));
});

test("a result is reused only if an online node would compute the same", async () => {
  const tenant = "nodes";
  const peer = await node(tenant);
  await scoredJob(tenant, peer);
  assert.equal(await stateOf(tenant), "SUCCEEDED");
  await peer.heartbeat({ leaving: true });
  assert.equal(await stateOf(tenant), "QUEUED", "no node is online");
  const other = await node(tenant, ELSEWHERE);
  assert.equal(await stateOf(tenant), "QUEUED", "the only node has other programs");
  const unknown = await node(tenant, "");
  assert.equal(await stateOf(tenant), "QUEUED", "the programs are not known");
  const models = [{ name: "vmaf_v0.6.1", digest: "ab".repeat(32) }];
  const own = await node(tenant, HERE, { models });
  assert.equal(await stateOf(tenant), "QUEUED", "the model is another file");
  await node(tenant);
  assert.equal(await stateOf(tenant), "SUCCEEDED");
  for (const left of [other, unknown, own]) await left.heartbeat({ leaving: true });
});

test("files that changed are planned again, and segments with the same content are not scored", async () => {
  const tenant = "files";
  const peer = await node(tenant);
  const job = await scoredJob(tenant, peer);
  const before = await system.metric("svc_segments_reused_total");
  const { atime, mtime } = await stat(pair.distorted);
  await utimes(pair.distorted, atime, mtime);
  const { job: touched } = await system.submit(tenant, pair);
  assert.equal(touched.state, Job_State.QUEUED);
  assert.equal(await work(peer), 0);
  const ended = await system.until(tenant, touched.id, ({ state }) => state === Job_State.SUCCEEDED);
  assert.deepEqual([ended.reuse?.segments, ended.reuse?.jobId, ended.score], [2, undefined, job.score]);
  assert.equal((await system.metric("svc_segments_reused_total")) - before, 2);
  await settled();
});

test("jobs of a batch reuse a result or are queued, and all of them are stored", async () => {
  const tenant = "batch";
  const peer = await node(tenant);
  await scoredJob(tenant, peer);
  const answered = await system.metric("svc_jobs_answered_total");
  const jobs = [pair, { ...pair, subsample: 2 }, pair].map((spec) => submission(spec));
  const batch = create(SubmitJobsRequestSchema, { jobs });
  const stored = await system.jobs.submitJobs(batch, caller(tenant));
  assert.deepEqual(
    stored.jobs.map(({ job }) => job?.state),
    [Job_State.SUCCEEDED, Job_State.QUEUED, Job_State.SUCCEEDED],
  );
  assert.equal((await system.metric("svc_jobs_answered_total")) - answered, 2);
});

test("keys and digests that are not SHA-256 are refused", async () => {
  const peer = await node("hostile");
  await refused(node("hostile", "0123"), "INVALID_REQUEST");
  await system.submit("hostile", pair);
  const item = await peer.pullNow();
  const plan = planReport(FRAMES, 50);
  const segments = plan.segments.map((one) => ({ ...one, key: new Uint8Array(31) }));
  await refused(peer.report(item, { case: "plan", value: { ...plan, segments } }), "INVALID_REQUEST");
  const scoredBy = "A".repeat(64);
  await refused(peer.report(item, { case: "plan", value: { ...plan, scoredBy } }), "INVALID_REQUEST");
  const referenceIdentity = "1".repeat(5_000);
  await refused(
    peer.report(item, { case: "plan", value: { ...plan, referenceIdentity } }),
    "INVALID_REQUEST",
  );
});

test("gates do not prevent reuse: each job has the verdicts on its own gates", async () => {
  const tenant = "gates";
  const peer = await node(tenant);
  const first = await scoredJob(tenant, peer, { gates: ["vmaf.min=0"] });
  assert.deepEqual(
    first.gates.map(({ gate, verdict, value }) => [gate, verdict, typeof value]),
    [["vmaf.min=0", JobGate_Verdict.PASSED, "number"]],
  );
  const { job: again } = await system.submit(tenant, { ...pair, gates: ["vmaf.min=99.99"] });
  assert.deepEqual([again.state, again.reuse?.jobId], [Job_State.SUCCEEDED, first.id]);
  assert.deepEqual(
    again.gates.map(({ verdict, value }) => [verdict, value]),
    [[JobGate_Verdict.FAILED, first.gates[0]?.value]],
  );
  const { job: ungated } = await system.submit(tenant, pair);
  assert.deepEqual([ungated.state, ungated.gates], [Job_State.SUCCEEDED, []]);
});

test("gates that cannot apply to the job are refused", async () => {
  await node("bad gates");
  for (const [gates, message, more] of [
    [["vmaf.avg=1"], /^gates: "vmaf\.avg=1": "avg" isn't a valid statistic/],
    [["vmaf.mean=1e999"], /^gates: .* isn't a valid gate/],
    [["psnr.mean=30"], /unknown metric "psnr".* Add psnr to features\./],
    [["vmaf.mean=101"], /no video can pass/],
    [["vmaf.mean=1", "vmaf.mean=1"], /gates contains vmaf\.mean=1 twice/],
    [Array.from({ length: 33 }, (_, n) => `vmaf.mean=${n}`), /at most 32/],
    [["vmaf.p5=1"], /cannot be checked with estimate/, { estimate: { tolerance: 1 } }],
    [["vmaf.mean=1"], /gates has no effect on a diagnosis/, { diagnoseOnly: true }],
  ] as const) {
    const failure = await refused(
      system.submit("bad gates", { ...pair, ...more, gates: [...gates] }),
      "INVALID_REQUEST",
    );
    assert.match(failure.message, message);
  }
});
