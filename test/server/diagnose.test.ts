/** POST /v1/diagnose and Diagnose over gRPC: the same diagnosis, its refusals, and the members of a score that it advises. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create, toJson } from "@bufbuild/protobuf";
import { DiagnoseRequestSchema, DiagnosisSchema } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { Contract, type Definition } from "./contract.ts";
import { GrpcClient } from "./grpc-client.ts";
import { type Answer, ask, type Problem, score } from "./rest-client.ts";
import { ServerProcess } from "./server-process.ts";

const FILM = { ...SCENE, width: 320, height: 180, frames: 60 };

/** The used members of a diagnosis. */
interface Diagnosis {
  readonly findings: readonly { readonly code: string; readonly confidence: string }[];
  readonly fix: object;
  readonly checked: { readonly distorted: readonly object[] };
  readonly durationMs: number;
}

describe("a diagnosis", () => {
  let media: MediaDirectory;
  let server: ServerProcess;
  let pair: { reference: string; distorted: string };
  before(async () => {
    media = await MediaDirectory.open();
    const late = { ...FILM, frames: 64, filters: "trim=start_frame=4,setpts=PTS-STARTPTS" };
    pair = {
      reference: await pristine(media, "reference.y4m", FILM),
      distorted: await encode(media, "late.mp4", late, LOSSY.h264),
    };
    server = await ServerProcess.start({ args: ["--threads", "2"] });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await media.remove();
  });

  function diagnose(body: unknown): Promise<Answer<Diagnosis & Problem>> {
    const headers = { "content-type": "application/json" };
    return ask(server, "/v1/diagnose", { method: "POST", headers, body: JSON.stringify(body) });
  }

  test("has the described form, and names what repairs the pair", async () => {
    const contract = new Contract((await ask<Definition>(server, "/ui/spec.json")).body);
    const { status, body } = await diagnose(pair);
    assert.equal(status, 200, JSON.stringify(body));
    contract.check("diagnose", 200, body);
    assert.deepEqual(
      body.findings.map(({ code, confidence }) => [code, confidence]),
      [["OFFSET", "certain"]],
    );
    assert.deepEqual(body.checked.distorted, [{ first: 0, count: 60 }]);
    assert.deepEqual(body.fix, { offset: -4, runs: [] });
    const refused = await score(server, pair);
    assert.deepEqual([refused.status, refused.body.code], [422, "PAIR_MISMATCH"]);
    const repaired = await score(server, { ...pair, ...body.fix });
    assert.equal(repaired.status, 200, JSON.stringify(repaired.body));
    contract.check("score", 200, repaired.body);
    assert.deepEqual((await score(server, { ...pair, fix: true })).body.pooled, repaired.body.pooled);
  });

  test("is the same over gRPC", async () => {
    using client = new GrpcClient(server);
    const { diagnosis } = await client.diagnose(create(DiagnoseRequestSchema, pair));
    assert.ok(diagnosis);
    const { durationMs, ...same } = (await diagnose(pair)).body;
    const json = toJson(DiagnosisSchema, { ...diagnosis, durationMs }, { alwaysEmitImplicit: true });
    assert.deepEqual(json, { ...same, durationMs });
  });

  test("is refused for a request that does not name two readable videos", async () => {
    for (const [body, status, code] of [
      [{ ...pair, model: "v1" }, 400, "INVALID_REQUEST"],
      [{ reference: pair.reference }, 400, "INVALID_REQUEST"],
      [{ ...pair, distorted: `${pair.distorted}.gone` }, 422, "MEDIA_NOT_FOUND"],
      [{ ...pair, distorted: "https://example.org/a.mp4" }, 400, "URL_NOT_SUPPORTED"],
    ] as const) {
      const refused = await diagnose(body);
      assert.deepEqual([refused.status, refused.body.code], [status, code]);
    }
  });

  test("is counted by its outcome", async () => {
    const metrics = await (await fetch(`${server.rest}/metrics`)).text();
    assert.match(metrics, /^svc_diagnoses_total\{code="OK"\} [1-9]/m);
    assert.match(metrics, /^svc_diagnoses_total\{code="MEDIA_NOT_FOUND"\} 1$/m);
  });
});
