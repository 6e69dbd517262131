/** What nodes report to have found about pairs: checked, joined into the result, and dropped with its plan. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type FindingSchema, Mirror_Direction } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { resultJson } from "../../src/messages/json.ts";
import { planned, resultOf } from "./planned.ts";
import { failureReport } from "./scored.ts";
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

  test("are in the result, the gravest first and each once; certain and likely ones are warnings", async () => {
    const { id, node } = await planned(system, "joined", FRAMES, LENGTH);
    for (const findings of [[BLACK, MIRRORED], [], [MIRRORED, FROZEN]])
      await node.score(await node.pullNow(), FRAMES, { findings });
    await node.work(FRAMES, LENGTH);
    const result = await resultOf(system, "joined", id);
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
    const { id, node } = await planned(system, "whole", FRAMES, LENGTH);
    const [first, second] = [await node.pullNow(), await node.pullNow()];
    await node.score(first, FRAMES, { findings: [MIRRORED] });
    await node.report(second, { case: "failure", value: failureReport("SCORER_FAILED", { cutFault: true }) });
    await node.score(await node.pullSome(), FRAMES, { findings: [FROZEN] });
    const { findings } = await resultOf(system, "whole", id);
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
    const { id, node } = await planned(system, "hostile", FRAMES, LENGTH);
    const item = await node.pullNow();
    for (const [what, { findings, names }] of Object.entries(refusals)) {
      const failure = await refused(node.score(item, FRAMES, { findings }), "INVALID_REQUEST");
      assert.match(failure.message, names, what);
    }
    assert.equal((await system.job("hostile", id)).segmentsDone, 0);
    await node.score(item, FRAMES, { findings: [{ ...BLACK, evidence: "x".repeat(1000) }] });
    await node.work(FRAMES, LENGTH);
    assert.equal((await resultOf(system, "hostile", id)).findings[0]?.evidence.length, 1000);
  });
});
