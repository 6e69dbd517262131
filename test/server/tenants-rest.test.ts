/**
 * A tenant tries every operation of REST on another tenant's data, with the other's ids, keys, filters, page tokens and
 * event ids.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after } from "node:test";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { UploadService } from "../../src/gen/proto/svc/v1/upload_pb.ts";
import { dial } from "./rest-client.ts";
import {
  type Attempts,
  allOfOwn,
  anothers,
  assertNoJob,
  assertOnlyOwnClip,
  audited,
  auditToken,
  NOTHING_OF_TENANTS,
  ownChange,
  testAttempts,
  theirFilters,
} from "./tenant-attempts.ts";
import { CLIP_FRAME, KEY, OWN, openTwoTenants, SECRET } from "./two-tenants.ts";

const JSON_TYPE = { "content-type": "application/json" };
const jobs = JobService.method;
const uploads = UploadService.method;

const two = await openTwoTenants();
after(() => two[Symbol.asyncDispose]());

testAttempts("http", two, attempts());

function attempts(): Attempts {
  const { mine, yours, transports, media } = two;
  const { node, fleet, done, running, comparison, upload, bucketUpload, revocation, pageToken, eventId } =
    two.theirs;
  const { ask, denied } = caller();
  return {
    score: async () => {
      // "mine" has an online node, "yours" has none.
      const { status, body } = await ask("/v1/score", "POST", OWN);
      assert.deepEqual([status, body["code"]], [503, "NO_NODE_ONLINE"]);
    },
    submitJob: async () => {
      const { status, body } = await ask("/v1/jobs", "POST", OWN, { "idempotency-key": "the key over REST" });
      assert.deepEqual([status, body["tenantId"]], [201, "yours"]);
      const theirs = await transports.ask("mine", "/v1/jobs", {
        method: "POST",
        headers: { ...JSON_TYPE, "idempotency-key": "the key over REST" },
        body: JSON.stringify(SECRET),
      });
      assert.deepEqual([theirs.status, theirs.body["id"] === body["id"]], [201, false]);
    },
    submitJobs: async () => {
      const { body } = await ask("/v1/jobs:batch", "POST", { jobs: [{ job: OWN, idempotencyKey: "batch" }] });
      assertNoJob(two, body);
    },
    getJob: async () => {
      for (const id of [done, running]) await denied(`/v1/jobs/${id}`);
    },
    cancelJob: async () => {
      for (const id of [done, running]) await denied(`/v1/jobs/${id}:cancel`, "POST");
    },
    finishJob: async () => {
      for (const id of [done, running]) await denied(`/v1/jobs/${id}:finish`, "POST");
    },
    updateJob: async () => {
      for (const id of [done, running]) {
        const { status, body } = await ask(`/v1/jobs/${id}`, "PATCH", { setLabels: { film: "mine" } });
        assert.deepEqual([status, body["code"]], [403, "WRONG_TENANT"]);
      }
    },
    deleteJob: async () => {
      for (const id of [done, running])
        for (const query of ["", "?cancel=true"]) await denied(`/v1/jobs/${id}${query}`, "DELETE");
    },
    cancelJobs: async () => {
      for (const { filter } of theirFilters(two))
        assert.deepEqual((await ask("/v1/jobs:cancel", "POST", { filter })).body, {
          matched: 0,
          cancelled: 0,
        });
      await allOfOwn(two, async () => ask("/v1/jobs:cancel", "POST", { all: true }), "CANCELLED");
    },
    deleteJobs: async () => {
      for (const { filter } of theirFilters(two)) {
        const request = { filter, cancel: true };
        assert.deepEqual((await ask("/v1/jobs:delete", "POST", request)).body, { matched: 0, deleted: 0 });
      }
      await allOfOwn(
        two,
        async () => ask("/v1/jobs:delete", "POST", { all: true, cancel: true }),
        "JOB_NOT_FOUND",
      );
    },
    getJobFrames: async () => {
      for (const query of ["", "?firstFrame=1&frameCount=1"]) await denied(`/v1/jobs/${done}/frames${query}`);
      await denied(`/v1/jobs/${running}/frames`);
    },
    listStills: async () => {
      for (const id of [done, running]) await denied(`/v1/jobs/${id}/stills`);
    },
    getStill: async () => {
      const { stills } = await mine.call(jobs.listStills, { id: done });
      for (const { frame } of stills) {
        for (const side of ["reference", "distorted"])
          await denied(`/v1/jobs/${done}/stills/${frame}/${side}`);
      }
    },
    requestStills: async () => {
      const { status, body } = await ask(`/v1/jobs/${done}/stills`, "POST", { frames: [1] });
      assert.deepEqual([status, body["code"]], [403, "WRONG_TENANT"]);
    },
    deleteStill: async () => {
      const { stills } = await mine.call(jobs.listStills, { id: done });
      for (const { frame } of stills) await denied(`/v1/jobs/${done}/stills/${frame}`, "DELETE");
      assert.deepEqual((await mine.call(jobs.listStills, { id: done })).stills, stills);
    },
    listClips: async () => {
      for (const id of [done, running]) await denied(`/v1/jobs/${id}/clips`);
    },
    getClip: async () => {
      for (const id of [done, running]) await denied(`/v1/jobs/${id}/clips/${CLIP_FRAME}`);
    },
    requestClips: async () => {
      const { status, body } = await ask(`/v1/jobs/${done}/clips`, "POST", { frames: [1] });
      assert.deepEqual([status, body["code"]], [403, "WRONG_TENANT"]);
      await assertOnlyOwnClip(two);
    },
    deleteClip: async () => {
      await denied(`/v1/jobs/${done}/clips/${CLIP_FRAME}`, "DELETE");
      await assertOnlyOwnClip(two);
    },
    listJobs: async () => {
      for (const query of ["", "?label=film=secret", `?pageSize=1&pageToken=${pageToken}`, "?pageSize=500"])
        assertNoJob(two, (await ask(`/v1/jobs${query}`)).body);
      assert.deepEqual((await ask("/v1/jobs?label=film=secret")).body["jobs"], []);
    },
    streamJobs: async () => {
      for (const query of ["", `?id=${done}&id=${running}`, "?label=film=secret"])
        await assertOwnEvents(`/v1/jobs:stream${query}`, "", async () => "event: snapshotEnd");
      await assertOwnEvents("/v1/jobs:stream", `Last-Event-ID: ${eventId}\r\n`, () => ownChange(two));
    },
    getComparison: () => denied(`/v1/comparisons/${comparison}`),
    listComparisons: async () =>
      assert.deepEqual((await ask("/v1/comparisons")).body, { comparisons: [], nextPageToken: "" }),
    submitComparison: async () => {
      const key = { "idempotency-key": KEY };
      const { status, body } = await ask("/v1/comparisons", "POST", { pairs: [OWN] }, key);
      assert.deepEqual([status, body["tenantId"]], [201, "yours"]);
    },
    addCells: async () => {
      const { status, body } = await ask(`/v1/comparisons/${comparison}/cells`, "POST", { pairs: [OWN] });
      assert.deepEqual([status, body["code"]], [403, "WRONG_TENANT"]);
    },
    retryCells: async () => {
      const { status, body } = await ask(`/v1/comparisons/${comparison}:retry`, "POST", {});
      assert.deepEqual([status, body["code"]], [403, "WRONG_TENANT"]);
    },
    cancelComparison: () => denied(`/v1/comparisons/${comparison}:cancel`, "POST"),
    getTrend: async () => {
      const { body } = await ask("/v1/trends?by=film&threshold=0.25");
      assert.deepEqual([body["releases"], body["clips"], body["leftOut"]], [[], [], 0]);
      assert.equal(body["threshold"], 0.25);
    },
    deleteComparison: () => denied(`/v1/comparisons/${comparison}`, "DELETE"),
    listNodes: async () => {
      const { body } = await ask("/v1/nodes");
      assertNoJob(two, body);
      const listed = body["nodes"] as { id: string; work: unknown }[];
      assert.deepEqual(listed.find(({ id }) => id === fleet.nodeId)?.work, []);
    },
    drainNode: () => denied(`/v1/nodes/${node.nodeId}:drain`, "POST", [404, "NODE_NOT_FOUND"]),
    getTenant: async () => {
      const { body } = await transports.ask("idle", "/v1/tenant");
      const usage = { jobsQueued: 0, jobsRunning: 0, segmentsRunning: 0 };
      const uploads = { count: 0, bytes: 0, maxCount: 10, maxBytes: 100, onlyParts: false, parts: false };
      const limits = { weight: 1 };
      assert.deepEqual(body, { id: "idle", usage, limits, defaultModels: ["vmaf_v0.6.1"], uploads });
    },
    console: NOTHING_OF_TENANTS,
    listAudit: async () => {
      await audited(two);
      for (const query of ["", `?target=${done}`, "?subject=secret", `?pageToken=${await auditToken(two)}`])
        assert.deepEqual((await ask(`/v1/tenant/audit${query}`)).body["records"], []);
    },
    listMedia: async () => {
      const listed = async (under: string) =>
        (await ask(`/v1/media?under=${encodeURIComponent(under)}`)).body;
      assert.deepEqual(await listed(join(media, "yours")), { entries: [], nextPageToken: "", probed: false });
      for (const path of ["mine", "mine/films", "mine/none", "yours/../mine"])
        assert.equal((await listed(join(media, "/").concat(path)))["code"], "PATH_NOT_ALLOWED");
      assert.equal((await listed("s3://films-of-others/"))["code"], "URL_NOT_ALLOWED");
    },
    listUploads: async () => assert.deepEqual((await ask("/v1/uploads")).body, { uploads: [] }),
    signUploadParts: async () => {
      const asked = { parts: [{ number: 1, sha256: Buffer.alloc(32).toString("base64") }] };
      for (const id of [upload, bucketUpload])
        assert.equal((await ask(`/v1/uploads/${id}:sign`, "POST", asked)).body["code"], "UPLOAD_NOT_FOUND");
    },
    completeUpload: async () => {
      for (const id of [upload, bucketUpload])
        assert.equal((await ask(`/v1/uploads/${id}:complete`, "POST")).body["code"], "UPLOAD_NOT_FOUND");
    },
    createUpload: async () => {
      const metadata = `filename ${Buffer.from("own.mp4").toString("base64")}`;
      const sent = { "upload-length": "100", "upload-metadata": metadata };
      const { status, body } = await ask("/v1/uploads", "POST", undefined, sent);
      assert.equal(status, 201);
      await yours.call(uploads.deleteUpload, { id: String(body["id"]) });
    },
    getUpload: () => denied(`/v1/uploads/${upload}`, "GET", [404, "UPLOAD_NOT_FOUND"]),
    appendUpload: async () => {
      const { status, body } = await transports.ask("yours", `/v1/uploads/${upload}`, {
        method: "PATCH",
        headers: { "content-type": "application/offset+octet-stream", "upload-offset": "5" },
        body: "t-fil",
      });
      assert.deepEqual([status, body["code"]], [404, "UPLOAD_NOT_FOUND"]);
    },
    deleteUpload: async () => {
      const headers = { authorization: "Bearer yours" };
      const path = `${transports.rest}/v1/uploads/${upload}`;
      assert.equal((await fetch(path, { method: "DELETE", headers })).status, 204);
    },
    revokeTokens: async () => {
      const issuedBefore = "2026-01-01T00:00:00Z";
      const { status, body } = await ask("/v1/tenant/revocations", "POST", { issuedBefore });
      assert.deepEqual([status, body["revokedBy"]], [201, "user of yours"]);
      const again = await ask("/v1/tenant/revocations", "POST", { issuedBefore });
      assert.deepEqual([again.status, again.body], [200, body]);
      const lifted = await ask(`/v1/tenant/revocations/${String(body["id"])}:lift`, "POST");
      assert.deepEqual([lifted.status, lifted.body], [200, body]);
    },
    listRevocations: async () => {
      for (const query of ["", "?pageSize=1", "?pageSize=500"]) {
        const { body } = await ask(`/v1/tenant/revocations${query}`);
        assert.deepEqual(body, { revocations: [], nextPageToken: "" });
      }
    },
    liftRevocation: () =>
      denied(`/v1/tenant/revocations/${revocation}:lift`, "POST", [404, "REVOCATION_NOT_FOUND"]),
    whoami: async () => assert.equal((await ask("/v1/whoami")).body["tenant"], "yours"),
    getUi: NOTHING_OF_TENANTS,
    getSpec: NOTHING_OF_TENANTS,
    getHealth: NOTHING_OF_TENANTS,
    getHealthAlias: NOTHING_OF_TENANTS,
    getReady: NOTHING_OF_TENANTS,
    getReadyAlias: NOTHING_OF_TENANTS,
  };
}

/** Sends requests of tenant "yours". */
function caller() {
  /** The response, without data of the other tenant. */
  async function ask(path: string, method = "GET", body?: object, headers = {}) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await two.transports.ask("yours", path, {
      method,
      headers: { ...JSON_TYPE, ...headers },
      ...sent,
    });
    assert.doesNotMatch(JSON.stringify(answer.body), /secret|"mine"/);
    return answer;
  }

  async function denied(path: string, method = "GET", [status, code] = [403, "WRONG_TENANT"]): Promise<void> {
    const answer = await ask(path, method);
    assert.deepEqual([answer.status, answer.body["code"]], [status, code], path);
  }
  return { ask, denied };
}

/**
 * Reads an event stream up to a text that is known once the stream has begun; no data of the other tenant precedes it.
 */
async function assertOwnEvents(path: string, header: string, last: () => Promise<string>): Promise<void> {
  const socket = dial(two.transports);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer yours\r\n${header}\r\n`);
  let text = "";
  let awaited: string | undefined;
  for await (const chunk of socket) {
    text += String(chunk);
    assert.doesNotMatch(text, anothers(two));
    awaited ??= await last();
    if (text.includes(awaited)) return;
  }
  assert.fail(`the stream ended: ${text}`);
}
