/**
 * A tenant tries every operation of gRPC on another tenant's data, with the other's ids, sessions, keys, filters, page
 * tokens and event ids.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { Connection } from "../../src/client/connection/connection.ts";
import { ComparisonService } from "../../src/gen/proto/svc/v1/comparison_pb.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { HandBackSchema, MediaAccess_Side, NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { TenantService } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import { UploadService } from "../../src/gen/proto/svc/v1/upload_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { CAPABILITIES } from "../controller/scored.ts";
import { FLEET } from "../controller/system.ts";
import {
  type Attempts,
  audited,
  auditToken,
  codeOf,
  NOTHING_OF_TENANTS,
  plain,
  testAttempts,
  thirdNode,
} from "./tenant-attempts.ts";
import { attemptsOnJobs } from "./tenant-jobs.ts";
import { KEY, OWN, openTwoTenants, SECRET } from "./two-tenants.ts";

const jobs = JobService.method;
const comparisons = ComparisonService.method;
const nodes = NodeService.method;
const tenants = TenantService.method;
const uploads = UploadService.method;

const two = await openTwoTenants();
after(() => two[Symbol.asyncDispose]());

test("a tenant sees its own queued and running work", async () => {
  const { tenant } = await two.mine.call(tenants.getTenant, {});
  const { jobsQueued, jobsRunning, segmentsRunning } = tenant?.usage ?? {};
  assert.deepEqual([tenant?.id, jobsQueued, jobsRunning, segmentsRunning], ["mine", 0, 2, 2]);
});

testAttempts("grpc", two, { ...attemptsOnJobs(two), ...attemptsOnOthers() });

function attemptsOnOthers(): Attempts {
  const { mine, yours, transports, media } = two;
  const { node, fleet, done, item, comparison, upload, bucketUpload, revocation } = two.theirs;
  return {
    "svc.v1.ComparisonService/GetComparison": async () =>
      assert.equal(await codeOf(yours.call(comparisons.getComparison, { id: comparison })), "WRONG_TENANT"),
    "svc.v1.ComparisonService/ListComparisons": async () => {
      assert.deepEqual((await yours.call(comparisons.listComparisons, {})).comparisons, []);
      const { nextPageToken } = await mine.call(comparisons.listComparisons, { pageSize: 1 });
      const answer = await yours.call(comparisons.listComparisons, { pageToken: nextPageToken });
      assert.deepEqual(answer.comparisons, []);
    },
    "svc.v1.ComparisonService/SubmitComparison": async () => {
      const request = { pairs: [OWN], idempotencyKey: KEY };
      const answer = await yours.call(comparisons.submitComparison, request);
      assert.deepEqual([answer.existed, answer.comparison?.tenantId], [false, "yours"]);
      const jobId = answer.comparison?.cells[0]?.jobId ?? "";
      await yours.call(jobs.deleteJob, { id: jobId, cancel: true });
      await transports.system.store.comparisons.deleteEmpty(0, 100);
    },
    "svc.v1.ComparisonService/AddCells": async () => {
      const request = { id: comparison, pairs: [OWN] };
      assert.equal(await codeOf(yours.call(comparisons.addCells, request)), "WRONG_TENANT");
    },
    "svc.v1.ComparisonService/RetryCells": async () => {
      for (const cells of [[], [1], [9]])
        assert.equal(
          await codeOf(yours.call(comparisons.retryCells, { id: comparison, cells })),
          "WRONG_TENANT",
        );
    },
    "svc.v1.ComparisonService/CancelComparison": async () =>
      assert.equal(
        await codeOf(yours.call(comparisons.cancelComparison, { id: comparison })),
        "WRONG_TENANT",
      ),
    "svc.v1.ComparisonService/GetTrend": async () => {
      const { trend } = await yours.call(comparisons.getTrend, { by: "film" });
      assert.deepEqual([trend?.releases, trend?.clips], [[], []]);
    },
    "svc.v1.ComparisonService/DeleteComparison": async () =>
      assert.equal(
        await codeOf(yours.call(comparisons.deleteComparison, { id: comparison })),
        "WRONG_TENANT",
      ),
    "svc.v1.NodeService/RegisterNode": async () => {
      const namesake = { name: "their node", slots: 1, capabilities: CAPABILITIES };
      const { nodeId } = await yours.call(nodes.registerNode, namesake);
      assert.notEqual(nodeId, node.nodeId);
      await yours.call(nodes.drainNode, { id: nodeId });
    },
    "svc.v1.NodeService/Heartbeat": async () => {
      const running = [{ itemId: item.itemId, attempt: item.attempt, framesDone: 7 }];
      for (const over of [{}, { running }, { draining: true }])
        assert.equal(
          await codeOf(yours.call(nodes.heartbeat, { session: node.session, ...over })),
          "SESSION_UNKNOWN",
        );
      // `leaving` succeeds for any unknown session, so it reveals nothing.
      await yours.call(nodes.heartbeat, { session: node.session, leaving: true });
      const third = await thirdNode(two);
      const { stop } = await third.heartbeat({ running });
      assert.deepEqual(
        stop.map(({ itemId }) => itemId),
        [item.itemId],
        "the response is to abandon the task",
      );
    },
    "svc.v1.NodeService/PullWork": async () => {
      await mine.call(jobs.submitJob, { job: { ...SECRET, name: "secret" } });
      assert.equal(await codeOf(yours.call(nodes.pullWork, { session: node.session })), "SESSION_UNKNOWN");
      assert.equal(await (await thirdNode(two)).pull(), undefined);
    },
    "svc.v1.NodeService/ReportResult": async () => {
      const { itemId, attempt } = item;
      const handBack = { case: "handBack" as const, value: create(HandBackSchema) };
      const report = { session: node.session, itemId, attempt, report: handBack };
      assert.equal(await codeOf(yours.call(nodes.reportResult, report)), "STALE_ATTEMPT");
      assert.equal(await codeOf((await thirdNode(two)).report(item, handBack)), "STALE_ATTEMPT");
    },
    "svc.v1.NodeService/SignTitleObjects": async () => {
      const { itemId, attempt } = item;
      const request = {
        session: node.session,
        itemId,
        attempt,
        side: MediaAccess_Side.DISTORTED,
        paths: ["1.ts"],
      };
      assert.equal(await codeOf(yours.call(nodes.signTitleObjects, request)), "STALE_ATTEMPT");
      await assert.rejects((await thirdNode(two)).signed(item, ["1.ts"]), { code: "STALE_ATTEMPT" });
    },
    "svc.v1.NodeService/ListNodes": async () => {
      const answer = await yours.call(nodes.listNodes, {});
      const others = answer.nodes.filter(({ tenantId }) => tenantId !== "yours");
      // Whether a node serves the caller is visible, but not how much work of others it has.
      assert.deepEqual(
        others.map(({ id, tenantId, slots, work }) => [id, tenantId, slots, work]),
        [[fleet.nodeId, FLEET, 4, []]],
      );
    },
    "svc.v1.NodeService/DrainNode": async () => {
      assert.equal(await codeOf(yours.call(nodes.drainNode, { id: node.nodeId })), "NODE_NOT_FOUND");
    },
    "svc.v1.TenantService/GetTenant": async () => {
      using idle = transports.connect("idle");
      const { tenant } = await idle.call(tenants.getTenant, {});
      const { jobsQueued, jobsRunning, segmentsRunning } = tenant?.usage ?? {};
      assert.deepEqual([tenant?.id, jobsQueued, jobsRunning, segmentsRunning], ["idle", 0, 0, 0]);
    },
    "svc.v1.TenantService/WhoAmI": async () => {
      const { tenant, roles } = await yours.call(tenants.whoAmI, {});
      assert.deepEqual([tenant, roles], ["yours", ["svc:admin"]]);
    },
    "svc.v1.TenantService/ListAudit": async () => {
      await audited(two);
      for (const request of [
        {},
        { target: done },
        { subject: "secret" },
        { pageToken: await auditToken(two) },
      ])
        assert.deepEqual((await yours.call(tenants.listAudit, request)).records, []);
    },
    "svc.v1.TenantService/ListMedia": async () => {
      const [films] = (await mine.call(tenants.listMedia, { under: join(media, "mine") })).entries;
      assert.equal(films?.name, join(media, "mine/films/"));
      const { entries } = await yours.call(tenants.listMedia, {});
      assert.deepEqual(
        entries.map(({ name }) => name),
        [join(media, "yours/")],
      );
      const { nextPageToken } = await mine.call(tenants.listMedia, { pageSize: 1 });
      const paged = await yours.call(tenants.listMedia, { pageToken: nextPageToken });
      assert.doesNotMatch(JSON.stringify(paged.entries, plain), /secret|mine/);
      for (const path of ["mine", "mine/films", "mine/none", "yours/../mine"])
        assert.equal(await mediaCode(yours, join(media, "/").concat(path)), "PATH_NOT_ALLOWED");
      assert.equal(await mediaCode(yours, "s3://films-of-others/"), "URL_NOT_ALLOWED");
    },
    "svc.v1.TenantService/RevokeTokens": async () => {
      const what = { case: "subject", value: "secret subject" } as const;
      const answer = await yours.call(tenants.revokeTokens, { what });
      assert.deepEqual([answer.existed, answer.revocation?.id === revocation], [false, false]);
      assert.equal(answer.revocation?.revokedBy, "user of yours");
      await yours.call(tenants.liftRevocation, { id: answer.revocation?.id ?? "" });
    },
    "svc.v1.TenantService/ListRevocations": async () => {
      for (const request of [{}, { pageSize: 500 }])
        assert.deepEqual((await yours.call(tenants.listRevocations, request)).revocations, []);
    },
    "svc.v1.TenantService/LiftRevocation": async () => {
      assert.equal(
        await codeOf(yours.call(tenants.liftRevocation, { id: revocation })),
        "REVOCATION_NOT_FOUND",
      );
    },
    "svc.v1.UploadService/CreateUpload": async () => {
      // Uses nothing of the other tenant's quota.
      const { upload: own } = await yours.call(uploads.createUpload, { name: "own.mp4", size: 100 });
      await yours.call(uploads.deleteUpload, { id: own?.id ?? "" });
    },
    "svc.v1.UploadService/AppendUpload": async () => {
      const part = { id: upload, offset: 5, data: Buffer.from("t-fil") };
      assert.equal(await codeOf(yours.call(uploads.appendUpload, part)), "UPLOAD_NOT_FOUND");
    },
    "svc.v1.UploadService/SignUploadParts": async () => {
      for (const id of [upload, bucketUpload]) {
        const asked = { id, parts: [{ number: 1, sha256: Buffer.alloc(32) }] };
        assert.equal(await codeOf(yours.call(uploads.signUploadParts, asked)), "UPLOAD_NOT_FOUND");
      }
    },
    "svc.v1.UploadService/CompleteUpload": async () => {
      for (const id of [upload, bucketUpload])
        assert.equal(await codeOf(yours.call(uploads.completeUpload, { id })), "UPLOAD_NOT_FOUND");
    },
    "svc.v1.UploadService/GetUpload": async () =>
      assert.equal(await codeOf(yours.call(uploads.getUpload, { id: upload })), "UPLOAD_NOT_FOUND"),
    "svc.v1.UploadService/ListUploads": async () =>
      assert.deepEqual((await yours.call(uploads.listUploads, {})).uploads, []),
    "svc.v1.UploadService/DeleteUpload": async () => {
      await yours.call(uploads.deleteUpload, { id: upload });
    },
    "grpc.reflection.v1.ServerReflection/ServerReflectionInfo": NOTHING_OF_TENANTS,
    "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": NOTHING_OF_TENANTS,
    "grpc.health.v1.Health/Check": NOTHING_OF_TENANTS,
    "grpc.health.v1.Health/List": NOTHING_OF_TENANTS,
    "grpc.health.v1.Health/Watch": NOTHING_OF_TENANTS,
  };
}

/** Returns the code with which a folder is refused. The message repeats the name, and nothing else. */
async function mediaCode(yours: Connection, under: string): Promise<string> {
  const thrown: unknown = await yours.call(tenants.listMedia, { under }).catch((error: unknown) => error);
  assert.ok(thrown instanceof Failure, under);
  assert.doesNotMatch(thrown.message.replaceAll(JSON.stringify(under), ""), /secret|mine/);
  return thrown.code;
}
