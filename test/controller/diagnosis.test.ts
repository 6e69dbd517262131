/** Jobs that only diagnose: who gets them, and what a node may report. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { type DiagnosisSchema, Mirror_Direction } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { diagnosisJson } from "../../src/messages/json.ts";
import { Peer } from "./peer.ts";
import { CAPABILITIES, failureReport, planReport } from "./scored.ts";
import { refused, System } from "./system.ts";

type DiagnosisInit = MessageInitShape<typeof DiagnosisSchema>;

const DOCTOR = { capabilities: { ...CAPABILITIES, diagnoses: true } };
const ONLY = { diagnoseOnly: true };
const FILE = {
  ...{ container: "mp4", codec: "h264", width: 160, height: 90, pixelFormat: "yuv420p", bitDepth: 8 },
  ...{ frameRate: "25/1", frames: 75, colorRange: "", rotation: 0, sampleAspectRatio: "" },
};
const MIRRORED = { mirror: { distorted: Mirror_Direction.HORIZONTAL } };
const FOUND: DiagnosisInit = {
  findings: [
    {
      code: "MIRRORED",
      side: "distorted",
      confidence: "certain",
      evidence: "It is mirrored.",
      fix: MIRRORED,
    },
  ],
  runs: [{ reference: 0, distorted: 0, count: 75 }],
  checked: { reference: [{ first: 0, count: 75 }], distorted: [{ first: 0, count: 75 }] },
  ...{ fix: MIRRORED, reference: FILE, distorted: FILE, durationMs: 12 },
};

describe("jobs that only diagnose", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  test("are leased to nodes that diagnose, never to others, and succeed with what those nodes report", async () => {
    const tenant = "leased";
    const old = await Peer.register(system.nodes, tenant);
    const { job } = await system.submit(tenant, ONLY);
    assert.equal(await old.pull(), undefined);
    const node = await Peer.register(system.nodes, tenant, DOCTOR);
    const item = await node.pullSome();
    assert.deepEqual([item.jobId, item.work.case], [job.id, "diagnose"]);
    await node.report(item, { case: "diagnosis", value: FOUND });
    const ended = await system.job(tenant, job.id);
    assert.equal(ended.state, Job_State.SUCCEEDED);
    assert.deepEqual([ended.score, ended.result, ended.plan], [undefined, undefined, undefined]);
    const { findings, runs, fix } = diagnosisJson(ended.diagnosis ?? assert.fail("it has no diagnosis"));
    const mirror = { runs: [], mirror: { distorted: "HORIZONTAL" } };
    assert.deepEqual(fix, mirror);
    assert.deepEqual(runs, FOUND.runs);
    assert.deepEqual(findings, [{ ...FOUND.findings?.[0], fix: mirror, fixed: false }]);
  });

  test("run on a node that has none of their models", async () => {
    const tenant = "no-models";
    const node = await Peer.register(system.nodes, tenant, DOCTOR);
    const { job } = await system.submit(tenant, { ...ONLY, models: ["nobody-has-it"] });
    assert.equal((await node.pullSome()).jobId, job.id);
  });

  test("are retried and fail like others", async () => {
    const tenant = "failing";
    const node = await Peer.register(system.nodes, tenant, DOCTOR);
    const { job } = await system.submit(tenant, ONLY);
    const item = await node.pullSome();
    await node.report(item, { case: "handBack", value: {} });
    const again = await node.pullSome();
    assert.deepEqual([again.itemId, again.attempt], [item.itemId, item.attempt + 1]);
    await node.report(again, { case: "failure", value: failureReport("MEDIA_CORRUPT") });
    const failed = await system.job(tenant, job.id);
    assert.deepEqual([failed.state, failed.error?.code], [Job_State.FAILED, "MEDIA_CORRUPT"]);
  });

  const long = Array.from({ length: 10_001 }, () => ({ reference: 0, distorted: 0, count: 1 }));
  const refusals: Record<string, DiagnosisInit> = {
    "no file": { ...FOUND, distorted: undefined },
    "an unknown finding": {
      ...FOUND,
      findings: [{ code: "ODD", confidence: "certain", evidence: "It is odd." }],
    },
    "a repaired finding": { ...FOUND, findings: [{ ...FOUND.findings?.[0], fixed: true }] },
    "101 findings": { ...FOUND, findings: Array.from({ length: 101 }, () => ({ ...FOUND.findings?.[0] })) },
    "10,001 runs": { ...FOUND, runs: long },
    "a fix of 10,001 runs": { ...FOUND, fix: { runs: long } },
    "an unknown direction": { ...FOUND, fix: { mirror: { distorted: 9 as Mirror_Direction } } },
    "101 spans": {
      ...FOUND,
      checked: { distorted: Array.from({ length: 101 }, () => ({ first: 0, count: 1 })) },
    },
    "an infinite duration": { ...FOUND, durationMs: Number.POSITIVE_INFINITY },
    "an infinite bit rate": { ...FOUND, distorted: { ...FILE, videoBitRate: Number.POSITIVE_INFINITY } },
    "a long codec": { ...FOUND, reference: { ...FILE, codec: "x".repeat(201) } },
    "a text that PostgreSQL cannot store": { ...FOUND, reference: { ...FILE, container: "a\0b" } },
  };

  test("refuse a diagnosis that no engine makes, and a plan, and stay leased", async () => {
    const tenant = "hostile";
    const node = await Peer.register(system.nodes, tenant, DOCTOR);
    const { job } = await system.submit(tenant, ONLY);
    const item = await node.pullSome();
    for (const value of Object.values(refusals))
      await refused(node.report(item, { case: "diagnosis", value }), "INVALID_REQUEST");
    await refused(node.report(item, { case: "plan", value: planReport(75) }), "STALE_ATTEMPT");
    assert.equal((await system.job(tenant, job.id)).state, Job_State.RUNNING);
    await node.report(item, { case: "diagnosis", value: FOUND });
    assert.equal((await system.job(tenant, job.id)).state, Job_State.SUCCEEDED);
  });
});
