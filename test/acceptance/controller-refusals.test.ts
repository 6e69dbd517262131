/** What a controller refuses: each with a status, a code and a sentence. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { ask, dial, readToEnd } from "../server/rest-client.ts";

const PAIR = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" };
const UNKNOWN = "/v1/jobs/7d9a1a52-3f4b-4c39-9a58-0d4f6f0f9a11";

let directory: MediaDirectory;
let controller: ControllerProcess;
let jobs: JobsClient;
before(async () => {
  directory = await MediaDirectory.open();
  controller = await ControllerProcess.start({ dataDir: directory.file("data") });
  jobs = await JobsClient.of(controller);
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await directory.remove();
});

describe("refusals:", () => {
  const json = { "content-type": "application/json" };
  const post = (body: unknown, headers: Record<string, string> = json): RequestInit => ({
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const cases: [
    what: string,
    path: string,
    init: RequestInit,
    status: number,
    code: string,
    detail: RegExp,
  ][] = [
    ["an unknown path", "/v1/nothing", {}, 404, "NOT_FOUND", /nothing at this path/],
    ["an unknown path below a job", `${UNKNOWN}/nothing`, {}, 404, "NOT_FOUND", /nothing at this path/],
    [
      "PUT of a job",
      UNKNOWN,
      { method: "PUT" },
      405,
      "METHOD_NOT_ALLOWED",
      /only accepts GET, PATCH, DELETE, HEAD\.$/,
    ],
    ["DELETE of no job", UNKNOWN, { method: "DELETE" }, 404, "JOB_NOT_FOUND", /There is no job/],
    ["GET of a cancel", `${UNKNOWN}:cancel`, {}, 405, "METHOD_NOT_ALLOWED", /only accepts POST\.$/],
    [
      "PUT of jobs",
      "/v1/jobs",
      { method: "PUT" },
      405,
      "METHOD_NOT_ALLOWED",
      /only accepts GET, POST, HEAD\.$/,
    ],
    ["an invalid percent-encoding", "/v1/jobs/%zz", {}, 400, "MALFORMED_REQUEST", /./],
    ["an unknown job", UNKNOWN, {}, 404, "JOB_NOT_FOUND", /There is no job 7d9a/],
    ["an invalid id", "/v1/jobs/..%2f..%2fetc", {}, 404, "JOB_NOT_FOUND", /There is no job/],
    ["a long id", `/v1/jobs/${"a".repeat(4000)}`, {}, 404, "JOB_NOT_FOUND", /There is no job/],
    [
      "an unknown method of a job",
      `${UNKNOWN}:pause`,
      { method: "POST" },
      404,
      "NOT_FOUND",
      /nothing at this/,
    ],
    ["frames of an unknown job", `${UNKNOWN}/frames`, {}, 404, "JOB_NOT_FOUND", /./],
    ["cancelling an unknown job", `${UNKNOWN}:cancel`, { method: "POST" }, 404, "JOB_NOT_FOUND", /./],
    ["draining an unknown node", "/v1/nodes/x:drain", { method: "POST" }, 404, "NODE_NOT_FOUND", /./],
    [
      "an unknown parameter",
      "/v1/jobs?limit=3",
      {},
      400,
      "INVALID_REQUEST",
      /"limit" is not a parameter.*pageSize/,
    ],
    [
      "a parameter on an operation without parameters",
      `${UNKNOWN}?x=1`,
      {},
      400,
      "INVALID_REQUEST",
      /It has none/,
    ],
    [
      "a single parameter twice",
      "/v1/jobs?pageSize=1&pageSize=2",
      {},
      400,
      "INVALID_REQUEST",
      /more than once/,
    ],
    ["an invalid number", "/v1/jobs?pageSize=1e1", {}, 400, "INVALID_REQUEST", /not a whole number/],
    ["points that are none", "/v1/trends?by=a&threshold=0x1", {}, 400, "INVALID_REQUEST", /not a number/],
    ["points out of range", "/v1/trends?by=a&threshold=-0.5", {}, 400, "INVALID_REQUEST", /threshold/],
    ["a page size of 0", "/v1/jobs?pageSize=0", {}, 400, "INVALID_REQUEST", /pageSize must be >= 1/],
    ["an unknown state", "/v1/jobs?state=DONE", {}, 400, "INVALID_REQUEST", /QUEUED, RUNNING/],
    ["a label without a value", "/v1/jobs?label=alone", {}, 400, "INVALID_REQUEST", /key=value/],
    ["a label twice", "/v1/jobs?label=a=1&label=a:2", {}, 400, "INVALID_REQUEST", /more than once/],
    ["a forged page token", "/v1/jobs?pageToken=abc", {}, 400, "INVALID_REQUEST", /[Tt]oken/],
    ["an unknown format", `${UNKNOWN}/frames?format=xml`, {}, 400, "INVALID_REQUEST", /json, csv/],
    [
      "a forged event id",
      "/v1/jobs:stream",
      { headers: { "last-event-id": "a b" } },
      400,
      "INVALID_REQUEST",
      /./,
    ],
    ["an unknown state of a stream", "/v1/jobs:stream?state=X", {}, 400, "INVALID_REQUEST", /./],
    ["a body that isn't JSON", "/v1/jobs", post("{"), 400, "INVALID_JSON", /not valid JSON/],
    [
      "a member twice",
      "/v1/jobs",
      post('{"reference":"/a","reference":"/b"}'),
      400,
      "INVALID_JSON",
      /has a duplicate member/,
    ],
    [
      "a job without a reference",
      "/v1/jobs",
      post({ distorted: "/d" }),
      400,
      "INVALID_REQUEST",
      /reference is missing/,
    ],
    [
      "a member that only scores have",
      "/v1/jobs",
      post({ ...PAIR, frames: true }),
      400,
      "INVALID_REQUEST",
      /"frames" is not a member/,
    ],
    [
      "a priority out of range",
      "/v1/jobs",
      post({ ...PAIR, priority: 101 }),
      400,
      "INVALID_REQUEST",
      /priority/,
    ],
    [
      "an invalid label key",
      "/v1/jobs",
      post({ ...PAIR, labels: { "a b": "x" } }),
      400,
      "INVALID_REQUEST",
      /label/,
    ],
    ["an unknown feature", "/v1/jobs", post({ ...PAIR, features: ["x"] }), 400, "UNKNOWN_FEATURE", /./],
    [
      "a URL of another scheme",
      "/v1/jobs",
      post({ ...PAIR, distorted: "ftp://cdn.example/a.mp4" }),
      400,
      "URL_NOT_SUPPORTED",
      /distorted video is given as a URL \(ftp:\/\/…\)/,
    ],
    [
      "an object outside every storage",
      "/v1/jobs",
      post({ ...PAIR, distorted: "https://cdn.example/a.mp4" }),
      403,
      "URL_NOT_ALLOWED",
      /distorted video "https:\/\/cdn\.example\/a\.mp4" is not in one of your tenant's storages/,
    ],
    [
      "half a surrogate pair",
      "/v1/jobs",
      post('{"reference":"\\ud800","distorted":"/d"}'),
      400,
      "INVALID_REQUEST",
      /./,
    ],
    [
      "an empty key",
      "/v1/jobs",
      post(PAIR, { ...json, "idempotency-key": "" }),
      400,
      "INVALID_REQUEST",
      /Idempotency-Key/,
    ],
    [
      "a key that is too long",
      "/v1/jobs",
      post(PAIR, { ...json, "idempotency-key": "k".repeat(256) }),
      400,
      "INVALID_REQUEST",
      /./,
    ],
    [
      "a body of another type",
      "/v1/jobs",
      post(PAIR, { "content-type": "text/plain" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      /application\/json/,
    ],
    [
      "a body over 256 KiB",
      "/v1/jobs",
      post({ ...PAIR, name: "n".repeat(300_000) }),
      413,
      "REQUEST_TOO_LARGE",
      /262144 bytes/,
    ],
    [
      "a batch over 4 MiB",
      "/v1/jobs:batch",
      post("x".repeat(4_200_000)),
      413,
      "REQUEST_TOO_LARGE",
      /4194304 bytes/,
    ],
    ["an empty batch", "/v1/jobs:batch", post({ jobs: [] }), 400, "INVALID_REQUEST", /jobs/],
    [
      "a batch of 1,001",
      "/v1/jobs:batch",
      post({ jobs: Array.from({ length: 1001 }, () => ({ job: PAIR })) }),
      400,
      "INVALID_REQUEST",
      /1000/,
    ],
    ["a score without nodes", "/v1/score", post(PAIR), 503, "NO_NODE_ONLINE", /svc node/],
  ];
  for (const [what, path, init, status, code, detail] of cases) {
    test(`${what}: ${status} ${code}`, async () => {
      const answer = await ask(controller, path, init);
      assert.equal(answer.body.code, code, JSON.stringify(answer.body));
      assert.equal(answer.status, status);
      assert.match(answer.body.detail, detail);
      assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
      if (status === 405) assert.match(answer.headers.get("allow") ?? "", /^[A-Z]+(, [A-Z]+)*$/);
      if (status === 503) assert.ok(Number(answer.headers.get("retry-after")) >= 1);
    });
  }

  test("a body that does not arrive: 408", async () => {
    await using hasty = await ControllerProcess.start({
      dataDir: directory.file("hasty"),
      args: ["--request-timeout", "2"],
    });
    const socket = dial(hasty);
    socket.write(
      "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    );
    assert.match(await readToEnd(socket), /^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s);
    assert.deepEqual((await (await JobsClient.of(hasty)).list()).body.jobs, []);
  });

  test("stored nothing", async () => {
    assert.deepEqual((await jobs.list()).body.jobs, []);
  });
});
