/** Checks of requests that need no store. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { filterOf, matches } from "../../src/controller/requests/filter.ts";
import { checkSpec, readSpec, scoreRequestOf } from "../../src/controller/requests/job-spec.ts";
import { jobList, pageToken, readPageToken } from "../../src/controller/requests/page-token.ts";
import { newNode } from "../../src/controller/requests/registration.ts";
import { Job_State, JobSpecSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { RegisterNodeRequestSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import {
  EditLists_Policy,
  FindingsPolicy_Action,
  FindingsPolicySchema,
  Mirror_Direction,
  Mismatch_Policy,
  SampleMatrix_Matrix,
  SampleRange_Range,
  Scaling_Policy,
} from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { JOB_STATES } from "../../src/jobs/states.ts";
import { pairRequestOf } from "../../src/messages/request.ts";
import type { JobEvent } from "../../src/store/contract/event-records.ts";
import type { JobFilter, JobRow } from "../../src/store/contract/job-records.ts";
import { CAPABILITIES } from "./scored.ts";

const ID = "0b0e4f3c-1e0a-4a61-9a53-6d0d9d2d6f11";
const INVALID = { name: "Failure", code: "INVALID_REQUEST" };
const PAIR = { reference: "/r", distorted: "/d" };
const filters: fc.Arbitrary<JobFilter> = fc.record(
  {
    states: fc.uniqueArray(fc.constantFrom(...JOB_STATES), { minLength: 1 }),
    labels: fc.dictionary(fc.constantFrom("a", "b/c", "d.e"), fc.string({ maxLength: 5 }), { minKeys: 1 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const cursors = fc.record(
  { atMicros: fc.integer({ min: 0, max: 2 ** 52 }), id: fc.uuid() },
  { noNullPrototype: true },
);

describe("page tokens", () => {
  test("lead back to the end of the page, for the same list only", () => {
    fc.assert(
      fc.property(cursors, filters, filters, (cursor, filter, other) => {
        const token = pageToken(cursor, jobList(filter));
        assert.match(token, /^[A-Za-z0-9_-]{1,200}$/);
        assert.deepEqual(readPageToken(token, jobList(filter)), cursor);
        const reordered = { ...filter, ...(filter.states && { states: filter.states.toReversed() }) };
        assert.deepEqual(readPageToken(token, jobList(reordered)), cursor);
        if (pageToken(cursor, jobList(other)) !== token)
          assert.throws(() => readPageToken(token, jobList(other)), INVALID);
      }),
    );
    assert.equal(readPageToken("", "a list"), undefined);
  });

  test("are refused if changed in any way", () => {
    fc.assert(
      fc.property(cursors, fc.string({ minLength: 1, unit: "binary" }), fc.nat(), (cursor, text, place) => {
        assert.throws(() => readPageToken(text, "a list"), INVALID);
        const token = pageToken(cursor, "a list");
        const at = place % token.length;
        const other = token[at] === "A" ? "B" : "A";
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        // A changed character may give another number of the same list, which is a valid position.
        try {
          assert.equal(pageToken(readPageToken(changed, "a list") as typeof cursor, "a list"), changed);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "INVALID_REQUEST");
        }
      }),
    );
  });
});

describe("filters", () => {
  const event = (over: Partial<JobRow>, before: JobEvent["before"], labels = {}): JobEvent => ({
    id: "1",
    kind: "CHANGE",
    before,
    labels,
    labelsBefore: undefined,
    job: { id: ID, tenant: "t", state: "RUNNING", ...over } as JobRow,
  });

  test("match jobs that enter or leave a state and have all labels", () => {
    const filter = filterOf({ states: [Job_State.RUNNING], labels: { a: "1" } });
    const labels = { a: "1", b: "2" };
    assert.ok(matches(filter, event({}, "QUEUED", labels)));
    assert.ok(matches(filter, event({ state: "FAILED" }, "RUNNING", labels)));
    assert.ok(!matches(filter, event({ state: "CANCELLED" }, "QUEUED", labels)));
    assert.ok(!matches(filter, event({}, "QUEUED", { b: "2" })));
    assert.ok(
      !matches(filterOf({ ids: [crypto.randomUUID()], states: [], labels: {} }), event({}, undefined)),
    );
    assert.ok(matches(filterOf({ ids: [ID], states: [], labels: {} }), event({}, undefined)));
  });

  test("with unknown states, invalid ids or invalid labels are refused", () => {
    const none = { states: [], labels: {} };
    assert.throws(() => filterOf({ ...none, states: [99] }), INVALID);
    assert.throws(() => filterOf({ ...none, states: [Job_State.STATE_UNSPECIFIED] }), INVALID);
    assert.throws(() => filterOf({ ...none, ids: ["x' or 1=1"] }), INVALID);
    assert.throws(() => filterOf({ ...none, ids: Array.from({ length: 101 }, () => ID) }), INVALID);
    assert.throws(() => filterOf({ ...none, labels: { "a b": "c" } }), INVALID);
    assert.throws(() => filterOf({ ...none, labels: { a: "c".repeat(256) } }), INVALID);
  });
});

describe("job specs", () => {
  test("have the same text and fingerprint in any order of labels, and are read back unchanged", () => {
    const labels = fc.uniqueArray(
      fc.tuple(fc.stringMatching(/^[a-z0-9][a-z0-9._/-]{0,20}$/), fc.stringMatching(/^[ -~]{0,20}$/)),
      {
        selector: ([key]) => key,
        maxLength: 32,
      },
    );
    fc.assert(
      fc.property(labels, fc.integer({ min: -100, max: 100 }), (entries, priority) => {
        const one = create(JobSpecSchema, { ...PAIR, priority, labels: Object.fromEntries(entries) });
        const other = create(JobSpecSchema, {
          ...PAIR,
          priority,
          labels: Object.fromEntries(entries.toReversed()),
        });
        assert.equal(checkSpec(one, []).text, checkSpec(other, []).text);
        assert.equal(checkSpec(one, []).fingerprint, checkSpec(other, []).fingerprint);
        assert.deepEqual(readSpec(checkSpec(one, []).text), one);
        const changed = create(JobSpecSchema, { ...one, distorted: "/e" });
        assert.notEqual(checkSpec(one, []).fingerprint, checkSpec(changed, []).fingerprint);
      }),
    );
  });

  test("that only diagnose name nothing to compare or to measure, and need no model", () => {
    const members = { ...PAIR, diagnoseOnly: true, models: ["a"] };
    const only = create(JobSpecSchema, members);
    const checked = checkSpec(only, ["b"], { action: "WARN" });
    assert.deepEqual([checked.spec, checked.need], [only, undefined]);
    const contradictions: MessageInitShape<typeof JobSpecSchema>[] = [
      ...[
        { features: ["psnr"] },
        { subsample: 2 },
        { estimate: { tolerance: 1 } },
        { offset: 0 },
        { start: 1 },
      ],
      ...[{ duration: 1 }, { runs: [{ reference: 0, distorted: 0, count: 1 }] }, { fix: true }],
      ...[{ crop: { reference: { x: 0, y: 0, width: 64, height: 64 } } }, { findings: {} }],
      ...[{ mirror: { distorted: Mirror_Direction.HORIZONTAL } }],
      ...[{ rangeOf: { distorted: SampleRange_Range.FULL } }],
      ...[{ matrixOf: { distorted: SampleMatrix_Matrix.BT709 } }],
    ];
    for (const more of contradictions) {
      const [name = ""] = Object.keys(more);
      assert.throws(() => checkSpec(create(JobSpecSchema, { ...members, ...more }), []), {
        ...INVALID,
        message: `${name} has no effect on a diagnosis: leave it out, or diagnoseOnly.`,
      });
    }
  });

  test("that name no model get the default models, and keep the fingerprint of the request", () => {
    const none = create(JobSpecSchema, PAIR);
    const defaulted = checkSpec(none, ["a", "b"]);
    assert.deepEqual(readSpec(defaulted.text), create(JobSpecSchema, { ...PAIR, models: ["a", "b"] }));
    assert.deepEqual(
      [defaulted.spec.models, defaulted.need?.models],
      [
        ["a", "b"],
        ["a", "b"],
      ],
    );
    assert.equal(defaulted.fingerprint, checkSpec(none, ["c"]).fingerprint);
    assert.equal(defaulted.fingerprint, checkSpec(none, []).fingerprint);
    assert.deepEqual(readSpec(checkSpec(none, []).text), none);
    for (const named of [{ model: "c" }, { models: ["c"] }]) {
      const spec = create(JobSpecSchema, { ...PAIR, ...named });
      assert.deepEqual(checkSpec(spec, ["a", "b"]), checkSpec(spec, []));
      assert.notEqual(checkSpec(spec, []).fingerprint, defaulted.fingerprint);
    }
  });

  test("become the score request field by field", () => {
    const shared = {
      ...PAIR,
      models: ["a", "b"],
      features: ["psnr"],
      rawVideo: { width: 64, height: 48, pixelFormat: "yuv420p", frameRate: "25" },
      scaling: Scaling_Policy.REFUSE,
      onFrameCountMismatch: Mismatch_Policy.COMMON,
      onFrameRateMismatch: Mismatch_Policy.COMMON,
      editLists: EditLists_Policy.IGNORE,
      subsample: 3,
      scorerVersion: "n7.0",
      offset: -4,
      start: 10,
      duration: 250,
      runs: [],
      fix: true,
    };
    const spec = create(JobSpecSchema, { ...shared, name: "n", labels: { a: "b" }, priority: 1 });
    const { $typeName: _, rawVideo, model, frames, ...request } = scoreRequestOf(spec);
    assert.deepEqual([model, frames], ["", false]);
    const { rawVideo: raw, ...rest } = shared;
    assert.deepEqual(request, rest);
    assert.equal(rawVideo?.width, raw.width);
  });

  test("keep their policy for findings", () => {
    const findings = create(FindingsPolicySchema, {
      action: FindingsPolicy_Action.WARN,
      codes: { OFFSET: FindingsPolicy_Action.IGNORE },
    });
    const spec = create(JobSpecSchema, { ...PAIR, findings });
    assert.deepEqual(scoreRequestOf(spec).findings, findings);
    assert.equal(scoreRequestOf(create(JobSpecSchema, PAIR)).findings, undefined);
  });

  test("keep the crop, mirroring and sample range of both sides", () => {
    const crop = { distorted: { x: 0, y: 140, width: 1920, height: 800 } };
    const spec = create(JobSpecSchema, {
      ...PAIR,
      crop,
      mirror: { reference: Mirror_Direction.BOTH },
      rangeOf: { distorted: SampleRange_Range.FULL },
      matrixOf: { reference: SampleMatrix_Matrix.BT709, distorted: SampleMatrix_Matrix.BT601 },
    });
    assert.deepEqual(readSpec(checkSpec(spec, []).text), spec);
    const { crop: areas, mirror, rangeOf, matrixOf } = pairRequestOf(scoreRequestOf(spec));
    assert.deepEqual([areas, mirror, rangeOf], [crop, { reference: "BOTH" }, { distorted: "FULL" }]);
    assert.deepEqual(matrixOf, { reference: "BT709", distorted: "BT601" });
  });

  test("with an offset of 0 differ from those without one", () => {
    const none = create(JobSpecSchema, PAIR);
    const zero = create(JobSpecSchema, { ...PAIR, offset: 0 });
    assert.notEqual(checkSpec(zero, []).fingerprint, checkSpec(none, []).fingerprint);
    assert.deepEqual(readSpec(checkSpec(zero, []).text), zero);
  });

  test("keep their runs", () => {
    const runs = [
      { reference: 0, distorted: 3, count: 10 },
      { reference: 12, distorted: 13, count: 1 },
    ];
    const spec = create(JobSpecSchema, { ...PAIR, runs });
    assert.deepEqual(readSpec(checkSpec(spec, []).text), spec);
    assert.deepEqual(pairRequestOf(scoreRequestOf(spec)).runs, runs);
  });

  test("are refused with the reason", () => {
    const odd: MessageInitShape<typeof JobSpecSchema>[] = [
      {},
      { reference: "/r" },
      { ...PAIR, name: "x".repeat(201) },
      { ...PAIR, name: "a\nb" },
      { ...PAIR, name: "\ud800" },
      { ...PAIR, priority: 101 },
      { ...PAIR, priority: -101 },
      { ...PAIR, labels: { "": "x" } },
      { ...PAIR, labels: { ["k".repeat(64)]: "x" } },
      { ...PAIR, labels: { key: "\u0000" } },
      { ...PAIR, labels: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`k${n}`, ""])) },
      { ...PAIR, models: ["../../etc/passwd"] },
      { ...PAIR, scaling: 9 as Scaling_Policy },
      { ...PAIR, offset: -(2 ** 31) },
      { ...PAIR, crop: { distorted: {} } },
      { ...PAIR, crop: { distorted: { x: 20_000, width: 2, height: 2 } } },
      { ...PAIR, mirror: { distorted: 9 as Mirror_Direction } },
      { ...PAIR, rangeOf: { distorted: 9 as SampleRange_Range } },
      { ...PAIR, matrixOf: { distorted: SampleMatrix_Matrix.BT601 } },
      { ...PAIR, start: 2 ** 31 },
      { ...PAIR, offset: 0, runs: [{ count: 1 }] },
      { ...PAIR, runs: [{ count: 0 }] },
      { ...PAIR, runs: [{ count: 2 }, { reference: 1, distorted: 2, count: 1 }] },
      { ...PAIR, runs: Array.from({ length: 10_001 }, (_, n) => ({ reference: n, distorted: n, count: 1 })) },
    ];
    for (const spec of odd)
      assert.throws(() => checkSpec(create(JobSpecSchema, spec), []), INVALID, JSON.stringify(spec));
    assert.throws(() => checkSpec(undefined, []), INVALID);
    assert.throws(() => checkSpec(create(JobSpecSchema, { ...PAIR, features: ["x"] }), []), {
      code: "UNKNOWN_FEATURE",
    });
  });
});

describe("registrations", () => {
  const good = { name: "node", slots: 2, capabilities: CAPABILITIES };

  test("get their own id and secret", () => {
    const one = newNode(create(RegisterNodeRequestSchema, good), "t");
    const other = newNode(create(RegisterNodeRequestSchema, good), "t");
    assert.notEqual(one.session, other.session);
    assert.match(one.session, /^[A-Za-z0-9_-]{43}$/);
    assert.notEqual(one.id, other.id);
  });

  test("are refused with the reason", () => {
    const odd = [
      { ...good, name: "" },
      { ...good, name: "a\u0007" },
      { ...good, name: "n".repeat(201) },
      { ...good, slots: 0 },
      { ...good, slots: 1025 },
      { ...good, capabilities: { models: [], version: "1" } },
      { ...good, capabilities: { ...CAPABILITIES, version: "" } },
      { ...good, capabilities: { ...CAPABILITIES, models: [{ name: "a/b", digest: "" }] } },
      { ...good, capabilities: { ...CAPABILITIES, models: [{ name: "a", digest: "abc" }] } },
    ];
    for (const request of odd) {
      assert.throws(() => newNode(create(RegisterNodeRequestSchema, request), "t"), INVALID);
    }
  });
});
