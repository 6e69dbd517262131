/** The cost of a node's plan for its tenant: the declared facts must follow from its tracks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { planRecord } from "../../../../src/controller/reports/plan-report.ts";
import { PlanReportSchema } from "../../../../src/gen/proto/svc/v1/node_pb.ts";
import { CAPABILITIES, planReport } from "../../../controller/scored.ts";

const FRAMES = 1_000;
const START = 0.2;

interface Facts {
  readonly tracks: Record<"reference" | "distorted", object>;
  readonly pairing: object;
}

/** The costs of the segments of a plan whose facts are changed, and the other members of its report. */
function costsOf(change: (facts: Facts) => void, length?: number): number[] {
  const report = planReport(FRAMES, length);
  const facts = JSON.parse(report.plan);
  change(facts);
  const pixels = facts.pairing.width * facts.pairing.height;
  const message = create(PlanReportSchema, { ...report, plan: JSON.stringify(facts), pixels });
  return planRecord(message, CAPABILITIES).segments.map(({ cost }) => cost);
}

const scaled = { fromWidth: 1280, fromHeight: 720, toWidth: 640, toHeight: 360, algorithm: "bicubic" };
const close = (cost: number | undefined, units: number) =>
  assert.ok(Math.abs((cost ?? 0) - START - units) < 1e-9, `${cost} is not ${units} and the start`);

test("the cost of a plan follows from frames and pixels of the side that has more of them", () => {
  const hd = 1280 * 720;
  close(costsOf(() => {})[0], (FRAMES * hd) / 1e8);
  const larger = costsOf(({ tracks, pairing }) => {
    tracks.distorted = { ...tracks.distorted, width: 2560, height: 1440 };
    const scaling = { ...scaled, fromWidth: 2560, fromHeight: 1440, toWidth: 1280, toHeight: 720 };
    Object.assign(pairing, { scaling });
  });
  close(larger[0], (FRAMES * 4 * hd) / 1e8);
  const thinned = costsOf(({ tracks, pairing }) => {
    tracks.distorted = { ...tracks.distorted, frames: 4 * FRAMES - 3 };
    Object.assign(pairing, { thin: { side: "distorted", every: 4 } });
  });
  close(thinned[0], ((4 * FRAMES - 3) * hd) / 1e8);
  const each = costsOf(() => {}, 100);
  assert.ok(each.length > 5);
  const sum = each.reduce((total, cost) => total + cost - START, START);
  close(sum, (FRAMES * hd) / 1e8);
});

test("a plan compared in rotated frames costs by their rotated size", () => {
  const turned = costsOf(({ tracks, pairing }) => {
    tracks.reference = { ...tracks.reference, rotation: 90 };
    tracks.distorted = { ...tracks.distorted, width: 720, height: 1280 };
    Object.assign(pairing, { width: 720, height: 1280, turn: ["reference"] });
  });
  close(turned[0], (FRAMES * 1280 * 720) / 1e8);
});

const CONTRADICTIONS: Readonly<Record<string, (facts: Facts) => void>> = {
  "640x360 as size": ({ pairing }) => Object.assign(pairing, { width: 640, height: 360, scaling: scaled }),
  "reference as turn": ({ pairing }) => Object.assign(pairing, { turn: ["reference"] }),
  "1000 and 1000 as frames": ({ tracks }) => {
    tracks.distorted = { ...tracks.distorted, frames: 100_000 };
  },
  "1000 as frameCount": ({ tracks, pairing }) => {
    tracks.reference = { ...tracks.reference, frames: 900 };
    Object.assign(pairing, { counts: { reference: 900, distorted: FRAMES } });
  },
};
for (const [what, change] of Object.entries(CONTRADICTIONS)) {
  test(`refuses a plan whose pairing has ${what} when its tracks disagree with it`, () => {
    assert.throws(() => costsOf(change), { code: "INVALID_REQUEST", message: new RegExp(what) });
  });
}
