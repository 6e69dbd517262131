/** What nodes report to have found about pairs: checked, joined into the result, and dropped with its plan. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import {
  type FindingSchema,
  Mirror_Direction,
  type ScoreResult,
} from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { resultJson } from "../../src/messages/json.ts";
import { Peer } from "./peer.ts";
import { failureReport, segmentReport, valueAt } from "./scored.ts";
import { refused, System } from "./system.ts";

type FindingInit = MessageInitShape<typeof FindingSchema>;

const FRAMES = 120;
const LENGTH = 30;
const BLACK = { code: "BLACK", confidence: "possible", evidence: "Both are black." };
const FROZEN = {
  ...{ code: "FROZEN", side: "distorted", confidence: "likely" },
  ...{ frames: { first: 40, count: 9 }, size: 9, evidence: "Frames 40 to 48 show the same." },
};
const MIRRORED = {
  ...{ code: "MIRRORED", side: "distorted", confidence: "certain", evidence: "It is mirrored." },
  fix: { mirror: { distorted: Mirror_Direction.HORIZONTAL } },
};
/** The fields of a finding that has none of them. */
const NONE = { side: "", fixed: false };

describe("findings that nodes report", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  async function planned(tenant: string): Promise<{ id: string; node: Peer }> {
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    await node.plan(await node.pullSome(), FRAMES, LENGTH);
    return { id: job.id, node };
  }

  async function score(node: Peer, item: WorkItem, findings: FindingInit[]): Promise<void> {
    assert.ok(item.work.case === "segment");
    const value = segmentReport(item.work.value.segment, FRAMES, valueAt, { findings });
    await node.report(item, { case: "segment", value });
  }

  async function resultOf(tenant: string, id: string): Promise<ScoreResult> {
    await system.until(tenant, id, ({ state }) => state === Job_State.SUCCEEDED);
    return (await system.job(tenant, id)).result ?? assert.fail("it has no result");
  }

  test("are in the result, the gravest first and each once; certain and likely ones are warnings", async () => {
    const { id, node } = await planned("joined");
    for (const findings of [[BLACK, MIRRORED], [], [MIRRORED, FROZEN]])
      await score(node, await node.pullNow(), findings);
    await node.work(FRAMES, LENGTH);
    const result = await resultOf("joined", id);
    assert.deepEqual(resultJson(result)["findings"], [
      { ...NONE, ...MIRRORED, fix: { runs: [], mirror: { distorted: "HORIZONTAL" } } },
      { ...NONE, ...FROZEN },
      { ...NONE, ...BLACK },
    ]);
    assert.deepEqual(
      result.warnings.map(({ code, message }) => [code, message]),
      [MIRRORED, FROZEN].map(({ code, evidence }) => [code, evidence]),
    );
  });

  test("of segments are not in the result of a job that is scored whole after them", async () => {
    const { id, node } = await planned("whole");
    const [first, second] = [await node.pullNow(), await node.pullNow()];
    await score(node, first, [MIRRORED]);
    await node.report(second, { case: "failure", value: failureReport("SCORER_FAILED", { cutFault: true }) });
    await score(node, await node.pullSome(), [FROZEN]);
    const { findings } = await resultOf("whole", id);
    assert.deepEqual(
      findings.map(({ code }) => code),
      ["FROZEN"],
    );
  });

  const run = { reference: 1, distorted: 0, count: 5 };
  const refusals: Record<string, { findings: FindingInit[]; names: RegExp }> = {
    "101 findings": { findings: Array.from({ length: 101 }, () => BLACK), names: /101 findings/ },
    "an unknown code": { findings: [{ ...BLACK, code: "__proto__" }], names: /unknown code/ },
    "an unknown side": { findings: [{ ...BLACK, side: "both" }], names: /unknown side/ },
    "an unknown confidence": { findings: [{ ...BLACK, confidence: "sure" }], names: /unknown confidence/ },
    "no evidence": { findings: [BLACK, { ...BLACK, evidence: "" }], names: /\[1\]\.evidence has 0/ },
    "long evidence": { findings: [{ ...BLACK, evidence: "x".repeat(1001) }], names: /evidence has 1001/ },
    "a terminal's control characters": {
      findings: [{ ...BLACK, evidence: "\u001b]0;owned\u0007" }],
      names: /evidence contains a control character/,
    },
    "a text that PostgreSQL cannot store": {
      findings: [{ ...BLACK, evidence: "a\0b" }],
      names: /evidence contains a control character/,
    },
    "an infinite size": { findings: [{ ...BLACK, size: Number.POSITIVE_INFINITY }], names: /size/ },
    "101 runs": {
      findings: [{ ...BLACK, fix: { runs: Array.from({ length: 101 }, () => run) } }],
      names: /fix\.runs has 101 runs/,
    },
    "an unknown direction": {
      findings: [{ ...BLACK, fix: { mirror: { distorted: 9 as Mirror_Direction } } }],
      names: /mirror\.distorted 9/,
    },
    "a repair that the plan does not have": { findings: [{ ...MIRRORED, fixed: true }], names: /fixed/ },
  };

  test("are refused if no engine finds them, and change nothing", async () => {
    const { id, node } = await planned("hostile");
    const item = await node.pullNow();
    for (const [what, { findings, names }] of Object.entries(refusals)) {
      const failure = await refused(score(node, item, findings), "INVALID_REQUEST");
      assert.match(failure.message, names, what);
    }
    assert.equal((await system.job("hostile", id)).segmentsDone, 0);
    await score(node, item, [{ ...BLACK, evidence: "x".repeat(1000) }]);
    await node.work(FRAMES, LENGTH);
    assert.equal((await resultOf("hostile", id)).findings[0]?.evidence.length, 1000);
  });
});
