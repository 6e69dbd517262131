/** Extreme numbers in every field and parameter: each is refused or accepted, and none causes an internal error. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  clone,
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { Connection } from "../../src/client/connection/connection.ts";
import { jobList, pageToken } from "../../src/controller/requests/page-token.ts";
import { ComparisonService } from "../../src/gen/proto/svc/v1/comparison_pb.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { UploadService } from "../../src/gen/proto/svc/v1/upload_pb.ts";
import { CONTROLLER_DESCRIPTORS } from "../../src/grpc/controller.ts";
import { Failure } from "../../src/platform/failure.ts";
import { CAPABILITIES, failureReport, planReport, segmentReport } from "../controller/scored.ts";
import { Transports } from "./transports.ts";

const DESCRIPTION = new URL("../../src/gen/rest/controller.json", import.meta.url);

const EXTREMES: Partial<Record<ScalarType, readonly (number | bigint)[]>> = {
  [ScalarType.INT32]: [-(2 ** 31), -1, 2 ** 31 - 1],
  [ScalarType.UINT32]: [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1],
  [ScalarType.INT64]: [-(2n ** 63n), -1n, 2n ** 53n, 2n ** 63n - 1n],
  [ScalarType.DOUBLE]: [-1, 2 ** 53, 1e300, Number.NaN, Number.POSITIVE_INFINITY],
};

/** A numeric field of a message or of a nested message. */
interface Place {
  readonly name: string;
  readonly values: readonly (number | bigint)[];
  readonly put: (value: number | bigint) => void;
}

/** The numeric fields of a message and of its set nested messages. */
function* placesIn(message: ReflectMessage, within = ""): Generator<Place> {
  for (const field of message.fields) {
    const name = `${within}${field.localName}`;
    if (field.fieldKind === "message" && message.isSet(field))
      yield* placesIn(message.get(field), `${name}.`);
    if (field.fieldKind === "list" && field.listKind === "message") {
      const [first] = message.get(field);
      if (first !== undefined) yield* placesIn(first as ReflectMessage, `${name}[0].`);
    }
    if (field.fieldKind === "scalar" || field.fieldKind === "enum")
      yield { name, values: extremesOf(field.scalar), put: (value) => message.set(field, value) };
    if (field.fieldKind === "list" && field.listKind !== "message") {
      const put = (value: number | bigint) => {
        message.clear(field);
        message.get(field).add(value);
      };
      yield { name: `${name}[]`, values: extremesOf(field.scalar), put };
    }
  }
}

/** `type` is undefined for an enum. */
function extremesOf(type: ScalarType = ScalarType.INT32): readonly (number | bigint)[] {
  return EXTREMES[type] ?? [];
}

/** Generates the request with each extreme value in each field. */
function* extremes(
  schema: DescMessage,
  init: Record<string, unknown>,
): Generator<{ name: string; request: Record<string, unknown> }> {
  const good = create(schema, init);
  for (const [index, { name, values }] of [...placesIn(reflect(schema, good))].entries()) {
    for (const value of values) {
      const request = clone(schema, good);
      [...placesIn(reflect(schema, request))][index]?.put(value);
      yield { name: `${name} ${value}`, request: { ...request } };
    }
  }
}

/** Whether a message type, or a nested one, has a numeric field other than an enum. */
function takesNumbers({ fields }: DescMessage): boolean {
  return fields.some((field) =>
    field.message !== undefined ? takesNumbers(field.message) : EXTREMES[field.scalar ?? ScalarType.BOOL],
  );
}

describe("extreme numbers", () => {
  let transports: Transports;
  let connection: Connection;
  let bases: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  let directory: string;
  let jobId: string;
  let comparisonId: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "svc-extremes-"));
    const limits = { bytes: 2 ** 30, count: 10, keptMs: 3_600_000 };
    transports = await Transports.open(undefined, { uploads: { directory, limitsOf: () => limits } });
    connection = transports.connect("mine");
    const file = { name: "clip.mp4", size: 10 };
    const { upload } = await connection.call(UploadService.method.createUpload, file);
    const node = { name: "a", slots: 2, capabilities: CAPABILITIES };
    const { session } = await connection.call(NodeService.method.registerNode, node);
    const job = { reference: "/a.mp4", distorted: "/b.mp4" };
    const { job: submitted } = await connection.call(JobService.method.submitJob, { job });
    jobId = submitted?.id ?? "";
    const { item } = await connection.call(NodeService.method.pullWork, { session, waitMs: 10_000 });
    assert.ok(item);
    const { reference, distorted } = job;
    const compared = { pairs: [{ reference, distorted }] };
    const { comparison } = await connection.call(ComparisonService.method.submitComparison, compared);
    comparisonId = comparison?.id ?? "";
    const [raw, time] = [{ width: 2, height: 2, pixelFormat: "yuv420p" }, { seconds: 1n }];
    const times = { since: time, until: time, endedSince: time, endedUntil: time };
    const { itemId, attempt } = item;
    bases = {
      RegisterNode: [node],
      Heartbeat: [{ session, running: [{ itemId, attempt, framesDone: 1 }] }],
      PullWork: [{ session }],
      ReportResult: [attempt, attempt + 1].flatMap((of) =>
        reports().map((report) => ({ session, itemId, attempt: of, report })),
      ),
      SignTitleObjects: [{ session, itemId, attempt, side: 2, paths: ["1.ts"] }],
      SubmitJob: [{ job: { ...job, rawVideo: raw } }],
      SubmitJobs: [{ jobs: [{ job }] }],
      ListJobs: [times],
      StreamJobs: [{}],
      GetJobFrames: [{ id: jobId }],
      GetStill: [{ id: jobId, side: 1 }],
      RequestStills: [{ id: jobId, frames: [1] }],
      DeleteStill: [{ id: jobId, frame: 1 }],
      GetClip: [{ id: jobId, frame: 1 }],
      RequestClips: [{ id: jobId, frames: [1] }],
      DeleteClip: [{ id: jobId, frame: 1 }],
      CancelJobs: [{ filter: times, dryRun: true }],
      DeleteJobs: [{ filter: times, dryRun: true }],
      SubmitComparison: [{ ...compared, settings: { rawVideo: raw } }],
      ListComparisons: [{}],
      RetryCells: [{ id: comparisonId, cells: [1] }],
      ListAudit: [{ since: time, until: time }],
      ListMedia: [{}],
      GetTrend: [{ by: "release", threshold: 1 }],
      CreateUpload: [file],
      AppendUpload: [{ id: upload?.id ?? "", offset: 0, data: Buffer.alloc(10) }],
      SignUploadParts: [{ id: upload?.id ?? "", parts: [{ number: 1, sha256: Buffer.alloc(32) }] }],
      ListRevocations: [{}],
      RevokeTokens: [
        { what: { case: "issuedBefore", value: time }, expireTime: time },
        { what: { case: "tokenId", value: randomUUID() }, expireTime: time },
      ],
    };
  });
  after(async () => {
    connection[Symbol.dispose]();
    await transports[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  const methods: readonly DescMethod[] = CONTROLLER_DESCRIPTORS.flatMap((service) => service.methods);
  for (const method of methods.filter(({ input }) => takesNumbers(input))) {
    test(`${method.parent.typeName}/${method.name}`, async () => {
      const given = bases[method.name];
      assert.ok(given, "the method needs a sample request in this test");
      const faults: string[] = [];
      let count = 0;
      for (const base of given) {
        for (const { name, request } of extremes(method.input, base)) {
          count++;
          const failure = await failureOf(method, request);
          if (failure?.kind === "internal") faults.push(name);
        }
      }
      assert.ok(count > 0);
      assert.deepEqual(faults, []);
    });
  }

  /** Returns why a call failed; undefined if it did not. For a stream, reads the first response. */
  async function failureOf(
    method: DescMethod,
    request: Record<string, unknown>,
  ): Promise<Failure | undefined> {
    try {
      if (isUnary(method)) await connection.call(method, request);
      else if (isStream(method))
        for await (const _ of connection.stream(method, request, { timeoutMs: 300 })) break;
      return undefined;
    } catch (thrown) {
      return Failure.from(thrown);
    }
  }

  test("over REST, in every numeric parameter", async () => {
    const asked = numberParameters(JSON.parse(await readFile(DESCRIPTION, "utf8")));
    assert.equal(asked.length, 7);
    for (const value of ["-1", "2147483648", "4294967295", "4294967296", "9223372036854775808", "1e300"]) {
      const queries = asked.map(
        ({ path, parameter }) => `${path.replace("{id}", jobId)}?${parameter}=${value}`,
      );
      for (const path of [...queries, `/v1/jobs/${jobId}/stills/${value}/reference`]) {
        const { status } = await transports.ask("mine", path);
        assert.ok(status < 500, `${path}: ${status}`);
      }
    }
  });

  test("over REST, in times and page tokens", async () => {
    for (const year of ["0000", "0001", "9999"]) {
      for (const parameter of ["since", "until"]) {
        const path = `/v1/tenant/audit?${parameter}=${year}-12-31T23:59:59Z`;
        const { status } = await transports.ask("mine", path);
        assert.ok(status < 500, `${path}: ${status}`);
      }
    }
    for (const atMicros of [-Number.MAX_SAFE_INTEGER, -1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const cursor = { atMicros, id: randomUUID() };
      const tokens = {
        "/v1/jobs": jobList({}),
        "/v1/tenant/revocations": "revocations",
        "/v1/comparisons": "comparisons",
      };
      for (const [path, list] of Object.entries(tokens)) {
        const { status } = await transports.ask("mine", `${path}?pageToken=${pageToken(cursor, list)}`);
        assert.equal(status, 200, `${path}: ${atMicros}`);
      }
    }
  });

  test("over REST, in bodies", async () => {
    const json = { "content-type": "application/json" };
    const job = (over: object) => ({ reference: "/a.mp4", distorted: "/b.mp4", ...over });
    for (const value of [-(2 ** 31) - 1, -(2 ** 31), 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 63, 1e300]) {
      const bodies: readonly (readonly [path: string, body: object])[] = [
        ["/v1/jobs", job({ priority: value })],
        ["/v1/jobs", job({ subsample: value })],
        ["/v1/jobs", job({ rawVideo: { width: value, height: 2, pixelFormat: "yuv420p" } })],
        ["/v1/jobs:batch", { jobs: [{ job: job({ priority: value }) }] }],
        ["/v1/score", job({ subsample: value })],
        [`/v1/jobs/${jobId}/stills`, { frames: [value] }],
        ["/v1/comparisons", { pairs: [job({})], settings: { subsample: value } }],
      ];
      for (const [path, body] of bodies) {
        const init = { method: "POST", headers: json, body: JSON.stringify(body) };
        const { status } = await transports.ask("mine", path, init);
        assert.ok(status >= 400 && status < 500, `${path} ${init.body}: ${status}`);
      }
    }
  });
});

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

function isStream(method: DescMethod): method is DescMethodServerStreaming {
  return method.methodKind === "server_streaming";
}

/** A report of each kind. */
function reports(): object[] {
  const plan = planReport(120, 30);
  const segment = segmentReport(plan.segments[0]?.segment ?? "", 120);
  const image = new Uint8Array(30);
  return [
    { case: "plan", value: plan },
    { case: "segment", value: segment },
    { case: "piece", value: segment.last },
    { case: "failure", value: failureReport("INTERNAL") },
    { case: "failure", value: failureReport("INTERNAL", { cutFault: true }) },
    { case: "still", value: { frame: 1, side: 1, mediaType: "image/webp", width: 1, height: 1, image } },
    { case: "handBack", value: {} },
  ];
}

interface Parameter {
  readonly name: string;
  readonly schema: { readonly type?: string };
}

interface Described {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
}

/** The numeric query parameters of GET requests. */
function numberParameters({ paths }: Described) {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter(({ schema }) => schema.type === "integer")
      .map(({ name: parameter }) => ({ path, parameter })),
  );
}
