/**
 * A tenant tries every operation of the table of permissions on another tenant's data, over gRPC and REST, with the
 * other's ids, sessions, keys, filters, page tokens and event ids. Fails for an operation that has no entry here.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { parse } from "yaml";
import type { Connection } from "../../src/client/connection/connection.ts";
import { anyFile, insideRoots } from "../../src/controller/requests/media-policy.ts";
import { MediaRoots } from "../../src/engine/files/roots.ts";
import { ComparisonService } from "../../src/gen/proto/svc/v1/comparison_pb.ts";
import { JobService, StreamJobsResponse_Kind as Kind } from "../../src/gen/proto/svc/v1/job_pb.ts";
import {
  HandBackSchema,
  MediaAccess_Side,
  NodeService,
  type WorkItem,
} from "../../src/gen/proto/svc/v1/node_pb.ts";
import { TenantService } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import { UploadService } from "../../src/gen/proto/svc/v1/upload_pb.ts";
import type { Storage } from "../../src/jobs/media/storages.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Peer } from "../controller/peer.ts";
import { CAPABILITIES } from "../controller/scored.ts";
import { FLEET } from "../controller/system.ts";
import { dial } from "./rest-client.ts";
import { Transports } from "./transports.ts";

const TABLE = parse(
  await readFile(new URL("../../api/permissions.yaml", import.meta.url), "utf8"),
) as Readonly<Record<"grpc" | "http", Readonly<Record<string, string>>>>;
const SECRET = { reference: "/media/secret-r.mp4", distorted: "/media/secret-d.mp4" };
/** The frame of the other tenant's clip. */
const CLIP_FRAME = 30;
const OWN = { reference: "/media/own-r.mp4", distorted: "/media/own-d.mp4" };
const OTHERS_BUCKET: Storage = {
  ...{ kind: "s3", endpoint: undefined, region: "eu-central-1", privateNetwork: false },
  ...{ buckets: [{ bucket: "films-of-others", prefix: "" }], credentials: undefined },
};
const LABELS = { film: "secret" };
const KEY = "the key";
const JSON_TYPE = { "content-type": "application/json" };
const jobs = JobService.method;
const comparisons = ComparisonService.method;
const nodes = NodeService.method;
const tenants = TenantService.method;
const uploads = UploadService.method;

let transports: Transports;
let mine: Connection;
let yours: Connection;
let node: Peer;
/** A fleet node that works for the other tenant. */
let fleet: Peer;
/** A scored job, a job with a running task, and that task. */
let done: string;
let running: string;
let item: WorkItem;
/** The owner's comparison: one cell, which is cancelled. */
let comparison: string;
/** Of tenant "mine", incomplete. */
let upload: string;
/** The same, to a bucket. */
const bucketUpload = randomUUID();
/** The owner's revocations. */
let revocation: string;
/** What only its owner receives: a page token, and the id of an earlier event. */
let pageToken: string;
let eventId: string;
let media: string;

before(async () => {
  media = await mkdtemp(join(tmpdir(), "svc-tenants-"));
  await mkdir(join(media, "mine/films"), { recursive: true });
  await mkdir(join(media, "yours"));
  await mkdir(join(media, "uploads"));
  await writeFile(join(media, "mine/films/secret.mp4"), "");
  transports = await Transports.open(undefined, {
    media: {
      ...anyFile,
      rootsOf: insideRoots(new MediaRoots([join(media, "{tenant}")])).rootsOf,
      begin: undefined,
    },
    storagesOf: (tenant) => (tenant === "mine" ? [OTHERS_BUCKET] : []),
    uploads: {
      directory: join(media, "uploads"),
      limitsOf: () => ({ bytes: 100, count: 10, keptMs: 3_600_000 }),
    },
  });
  mine = transports.connect("mine");
  yours = transports.connect("yours");
  node = await Peer.register(transports.system.nodes, "mine", { name: "their node" });
  const first = await mine.call(jobs.submitJob, { job: { ...SECRET, labels: LABELS }, idempotencyKey: KEY });
  done = first.job?.id ?? "";
  await node.work(60, 20);
  await transports.system.until("mine", done, ({ endTime }) => endTime !== undefined);
  await mine.call(jobs.requestClips, { id: done, frames: [CLIP_FRAME] });
  for await (const { kind, eventId: id } of mine.stream(jobs.streamJobs, {})) {
    eventId = id;
    if (kind === Kind.SNAPSHOT_END) break;
  }
  const second = await mine.call(jobs.submitJob, { job: { ...SECRET, labels: LABELS, name: "secret" } });
  running = second.job?.id ?? "";
  item = await node.pullSome();
  fleet = await Peer.register(transports.system.nodes, FLEET, { name: "fleet node" });
  await mine.call(jobs.submitJob, { job: { ...SECRET, name: "secret" } });
  await fleet.pullSome();
  // It keeps its task and gets no more work.
  await fleet.heartbeat({ draining: true });
  const compared = await mine.call(comparisons.submitComparison, { pairs: [SECRET], idempotencyKey: KEY });
  comparison = compared.comparison?.id ?? "";
  await mine.call(comparisons.cancelComparison, { id: comparison });
  const what = { case: "subject", value: "secret subject" } as const;
  const revoked = await mine.call(tenants.revokeTokens, { what, reason: "secret reason" });
  revocation = revoked.revocation?.id ?? "";
  ({ nextPageToken: pageToken } = await mine.call(jobs.listJobs, { pageSize: 1 }));
  const file = { name: "secret.mp4", size: 10, fingerprint: "secret" };
  ({ id: upload = "" } = (await mine.call(uploads.createUpload, file)).upload ?? {});
  await mine.call(uploads.appendUpload, { id: upload, offset: 0, data: Buffer.from("secre") });
  await transports.system.store.uploads.insert("mine", {
    ...{ id: bucketUpload, name: "secret.mp4", size: 10, fingerprint: "secret", bucket: "films-of-others" },
    ...{ key: "secret.mp4", multipartId: "secret", partSize: 10 },
  });
  assert.ok(done && running && comparison && revocation && upload && eventId && pageToken);
});
after(async () => {
  mine[Symbol.dispose]();
  yours[Symbol.dispose]();
  await transports[Symbol.asyncDispose]();
  await rm(media, { recursive: true });
});

/** Returns the code of a failure, whose message must not contain data of the other tenant. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.then(
    (answer) => assert.fail(`returned ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw thrown;
  assert.doesNotMatch(thrown.message + JSON.stringify(thrown.found ?? {}), /secret|mine/);
  return thrown.code;
}

async function read<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

/** Returns the code with which a folder is refused. The message repeats the name, and nothing else. */
async function mediaCode(under: string): Promise<string> {
  const thrown: unknown = await yours.call(tenants.listMedia, { under }).catch((error: unknown) => error);
  assert.ok(thrown instanceof Failure, under);
  assert.doesNotMatch(thrown.message.replaceAll(JSON.stringify(under), ""), /secret|mine/);
  return thrown.code;
}

/** A REST response to tenant "yours", without data of the other tenant. */
async function ask(path: string, method = "GET", body?: object, headers = {}) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await transports.ask("yours", path, {
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

async function onlyOwnClip(): Promise<void> {
  const { clips } = await mine.call(jobs.listClips, { id: done });
  assert.deepEqual(
    clips.map(({ frame }) => frame),
    [CLIP_FRAME],
  );
}

/** Occurs only in the other tenant's data. */
const anothers = () => new RegExp(`secret|${done}|${running}`);
const hasNoJob = (of: object): void => assert.doesNotMatch(JSON.stringify(of, plain), anothers());
const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

/** A stream only reports the caller's jobs: the next event is the caller's, although another's job changed before. */
async function ownChange(): Promise<string> {
  await mine.call(jobs.submitJob, { job: { ...SECRET, name: "secret" } });
  const { job } = await yours.call(jobs.submitJob, { job: OWN });
  return job?.id ?? "";
}

async function streamed(request: {
  ids?: string[];
  labels?: typeof LABELS;
  afterEventId?: string;
}): Promise<void> {
  let own: string | undefined;
  for await (const event of yours.stream(jobs.streamJobs, request)) {
    hasNoJob(event);
    assert.equal(event.job?.tenantId ?? "yours", "yours");
    if (event.kind === Kind.SNAPSHOT_END || own === undefined) own ??= await ownChange();
    else if (event.job?.id === own) break;
  }
}

/**
 * Reads an event stream up to a text that is known once the stream has begun; no data of the other tenant precedes it.
 */
async function assertOwnEvents(path: string, header: string, last: () => Promise<string>): Promise<void> {
  const socket = dial(transports);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer yours\r\n${header}\r\n`);
  let text = "";
  let awaited: string | undefined;
  for await (const chunk of socket) {
    text += String(chunk);
    assert.doesNotMatch(text, anothers());
    awaited ??= await last();
    if (text.includes(awaited)) return;
  }
  assert.fail(`the stream ended: ${text}`);
}

/** A node of a third tenant, which has no job. Any work it gets would be another's. */
async function thirdNode(): Promise<Peer> {
  return Peer.register(transports.system.nodes, "third");
}

/** The other tenant's audit log: two changes. */
async function audited(): Promise<void> {
  const change = {
    ...{
      timeMs: Date.now(),
      requestId: "secret",
      transport: "grpc" as const,
      tenant: "mine",
      subject: "secret",
    },
    ...{ operation: "svc.v1.JobService/SubmitJob", targets: [done, running], outcome: "OK", peer: "" },
    ...{ durationMs: 1, count: 1 },
  };
  await transports.system.store.insertAudit([change, change].map((one) => ({ ...one, id: randomUUID() })));
}

/** A page token of the other tenant. */
async function auditToken(): Promise<string> {
  return (await mine.call(tenants.listAudit, { pageSize: 1 })).nextPageToken;
}

/** Filters that match the other tenant's jobs and none of the caller's. Ids are evaluated at the call. */
const THEIRS = [
  { filter: { labels: LABELS } },
  {
    filter: {
      get ids() {
        return [done, running];
      },
    },
  },
];

/**
 * An operation on all jobs affects only the caller's: they become `after`, a state or a code; the other's are
 * unchanged.
 */
async function allOfOwn(work: () => Promise<unknown>, after: string): Promise<void> {
  const { job } = await yours.call(jobs.submitJob, { job: OWN });
  await work();
  const { body } = await ask(`/v1/jobs/${job?.id}`);
  assert.equal(body["state"] ?? body["code"], after);
}

type Attempt = () => Promise<void>;
/** The response is about the service or the caller. */
const NOTHING_OF_TENANTS = "no tenant's data";

const GRPC: Readonly<Record<string, Attempt | typeof NOTHING_OF_TENANTS>> = {
  "svc.v1.JobService/GetJob": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(yours.call(jobs.getJob, { id })), "WRONG_TENANT");
  },
  "svc.v1.JobService/CancelJob": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(yours.call(jobs.cancelJob, { id })), "WRONG_TENANT");
  },
  "svc.v1.JobService/FinishJob": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(yours.call(jobs.finishJob, { id })), "WRONG_TENANT");
  },
  "svc.v1.JobService/UpdateJob": async () => {
    for (const id of [done, running]) {
      const change = { id, setLabels: { film: "mine" }, removeLabels: ["other"] };
      assert.equal(await codeOf(yours.call(jobs.updateJob, change)), "WRONG_TENANT");
    }
  },
  "svc.v1.JobService/DeleteJob": async () => {
    for (const id of [done, running]) {
      for (const cancel of [false, true])
        assert.equal(await codeOf(yours.call(jobs.deleteJob, { id, cancel })), "WRONG_TENANT");
    }
  },
  "svc.v1.JobService/CancelJobs": async () => {
    for (const request of THEIRS) {
      const answer = await read(yours.stream(jobs.cancelJobs, request));
      assert.deepEqual([answer.at(-1)?.matched, answer.at(-1)?.cancelled], [0, 0]);
    }
    await allOfOwn(async () => read(yours.stream(jobs.cancelJobs, { all: true })), "CANCELLED");
  },
  "svc.v1.JobService/DeleteJobs": async () => {
    for (const request of THEIRS) {
      const answer = await read(yours.stream(jobs.deleteJobs, { ...request, cancel: true }));
      assert.deepEqual([answer.at(-1)?.matched, answer.at(-1)?.deleted], [0, 0]);
    }
    await allOfOwn(
      async () => read(yours.stream(jobs.deleteJobs, { all: true, cancel: true })),
      "JOB_NOT_FOUND",
    );
  },
  "svc.v1.JobService/GetJobFrames": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(read(yours.stream(jobs.getJobFrames, { id }))), "WRONG_TENANT");
  },
  "svc.v1.JobService/ListStills": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(yours.call(jobs.listStills, { id })), "WRONG_TENANT");
  },
  "svc.v1.JobService/GetStill": async () => {
    const { stills } = await mine.call(jobs.listStills, { id: done });
    assert.ok(stills.length > 0);
    for (const { frame, side } of stills)
      assert.equal(await codeOf(yours.call(jobs.getStill, { id: done, frame, side })), "WRONG_TENANT");
  },
  "svc.v1.JobService/RequestStills": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(yours.call(jobs.requestStills, { id, frames: [1] })), "WRONG_TENANT");
    const { stills } = await mine.call(jobs.listStills, { id: done });
    assert.ok(stills.length > 0 && stills.every(({ frame }) => frame !== 1));
  },
  "svc.v1.JobService/DeleteStill": async () => {
    const { stills } = await mine.call(jobs.listStills, { id: done });
    for (const { frame } of stills)
      assert.equal(await codeOf(yours.call(jobs.deleteStill, { id: done, frame })), "WRONG_TENANT");
    assert.deepEqual((await mine.call(jobs.listStills, { id: done })).stills, stills);
  },
  "svc.v1.JobService/ListClips": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(yours.call(jobs.listClips, { id })), "WRONG_TENANT");
  },
  "svc.v1.JobService/GetClip": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(read(yours.stream(jobs.getClip, { id, frame: CLIP_FRAME }))), "WRONG_TENANT");
  },
  "svc.v1.JobService/RequestClips": async () => {
    for (const id of [done, running])
      assert.equal(await codeOf(yours.call(jobs.requestClips, { id, frames: [1] })), "WRONG_TENANT");
    await onlyOwnClip();
  },
  "svc.v1.JobService/DeleteClip": async () => {
    assert.equal(await codeOf(yours.call(jobs.deleteClip, { id: done, frame: CLIP_FRAME })), "WRONG_TENANT");
    await onlyOwnClip();
  },
  "svc.v1.JobService/ListJobs": async () => {
    for (const request of [{}, { labels: LABELS }, { pageToken, pageSize: 1 }, { pageSize: 500 }])
      hasNoJob(await yours.call(jobs.listJobs, request));
    assert.deepEqual((await yours.call(jobs.listJobs, { labels: LABELS })).jobs, []);
  },
  "svc.v1.JobService/StreamJobs": async () => {
    await streamed({});
    await streamed({ afterEventId: eventId });
    const named = yours.stream(jobs.streamJobs, { ids: [done, running] });
    for await (const { kind } of named) {
      assert.equal(kind, Kind.SNAPSHOT_END);
      break;
    }
  },
  "svc.v1.JobService/SubmitJob": async () => {
    const { job, existed } = await yours.call(jobs.submitJob, { job: OWN, idempotencyKey: KEY });
    assert.deepEqual([existed, job?.tenantId, job?.id === done], [false, "yours", false]);
  },
  "svc.v1.JobService/SubmitJobs": async () => {
    const answer = await yours.call(jobs.submitJobs, { jobs: [{ job: OWN, idempotencyKey: KEY }] });
    assert.deepEqual([answer.jobs[0]?.job?.tenantId, answer.jobs[0]?.job?.id === done], ["yours", false]);
  },
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
    assert.equal(await codeOf(yours.call(comparisons.cancelComparison, { id: comparison })), "WRONG_TENANT"),
  "svc.v1.ComparisonService/GetTrend": async () => {
    const { trend } = await yours.call(comparisons.getTrend, { by: "film" });
    assert.deepEqual([trend?.releases, trend?.clips], [[], []]);
  },
  "svc.v1.ComparisonService/DeleteComparison": async () =>
    assert.equal(await codeOf(yours.call(comparisons.deleteComparison, { id: comparison })), "WRONG_TENANT"),
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
    const third = await thirdNode();
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
    assert.equal(await (await thirdNode()).pull(), undefined);
  },
  "svc.v1.NodeService/ReportResult": async () => {
    const { itemId, attempt } = item;
    const handBack = { case: "handBack" as const, value: create(HandBackSchema) };
    const report = { session: node.session, itemId, attempt, report: handBack };
    assert.equal(await codeOf(yours.call(nodes.reportResult, report)), "STALE_ATTEMPT");
    assert.equal(await codeOf((await thirdNode()).report(item, handBack)), "STALE_ATTEMPT");
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
    await assert.rejects((await thirdNode()).signed(item, ["1.ts"]), { code: "STALE_ATTEMPT" });
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
    await audited();
    for (const request of [{}, { target: done }, { subject: "secret" }, { pageToken: await auditToken() }])
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
      assert.equal(await mediaCode(join(media, "/").concat(path)), "PATH_NOT_ALLOWED");
    assert.equal(await mediaCode("s3://films-of-others/"), "URL_NOT_ALLOWED");
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

const HTTP: Readonly<Record<string, Attempt | typeof NOTHING_OF_TENANTS>> = {
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
    hasNoJob(body);
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
    for (const { filter } of THEIRS)
      assert.deepEqual((await ask("/v1/jobs:cancel", "POST", { filter })).body, { matched: 0, cancelled: 0 });
    await allOfOwn(async () => ask("/v1/jobs:cancel", "POST", { all: true }), "CANCELLED");
  },
  deleteJobs: async () => {
    for (const { filter } of THEIRS) {
      const request = { filter, cancel: true };
      assert.deepEqual((await ask("/v1/jobs:delete", "POST", request)).body, { matched: 0, deleted: 0 });
    }
    await allOfOwn(async () => ask("/v1/jobs:delete", "POST", { all: true, cancel: true }), "JOB_NOT_FOUND");
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
      for (const side of ["reference", "distorted"]) await denied(`/v1/jobs/${done}/stills/${frame}/${side}`);
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
    await onlyOwnClip();
  },
  deleteClip: async () => {
    await denied(`/v1/jobs/${done}/clips/${CLIP_FRAME}`, "DELETE");
    await onlyOwnClip();
  },
  listJobs: async () => {
    for (const query of ["", "?label=film=secret", `?pageSize=1&pageToken=${pageToken}`, "?pageSize=500"])
      hasNoJob((await ask(`/v1/jobs${query}`)).body);
    assert.deepEqual((await ask("/v1/jobs?label=film=secret")).body["jobs"], []);
  },
  streamJobs: async () => {
    for (const query of ["", `?id=${done}&id=${running}`, "?label=film=secret"])
      await assertOwnEvents(`/v1/jobs:stream${query}`, "", async () => "event: snapshotEnd");
    await assertOwnEvents("/v1/jobs:stream", `Last-Event-ID: ${eventId}\r\n`, ownChange);
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
    hasNoJob(body);
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
    await audited();
    for (const query of ["", `?target=${done}`, "?subject=secret", `?pageToken=${await auditToken()}`])
      assert.deepEqual((await ask(`/v1/tenant/audit${query}`)).body["records"], []);
  },
  listMedia: async () => {
    const listed = async (under: string) => (await ask(`/v1/media?under=${encodeURIComponent(under)}`)).body;
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

/** The data of "mine" as its owner sees it. */
async function ownersView(): Promise<unknown> {
  const answer = await Promise.all([done, running].map((id) => mine.call(jobs.getJob, { id })));
  const { nodes: own } = await mine.call(nodes.listNodes, {});
  const { revocations } = await mine.call(tenants.listRevocations, {});
  const { comparison: compared } = await mine.call(comparisons.getComparison, { id: comparison });
  const { uploads: sent } = await mine.call(uploads.listUploads, {});
  const states = own.map(({ id, name, state, work }) => [id, name, state, work.length]);
  return JSON.stringify([answer.map(({ job }) => job), states, revocations, compared, sent], plain);
}

test("a tenant sees its own queued and running work", async () => {
  const { tenant } = await mine.call(tenants.getTenant, {});
  const { jobsQueued, jobsRunning, segmentsRunning } = tenant?.usage ?? {};
  assert.deepEqual([tenant?.id, jobsQueued, jobsRunning, segmentsRunning], ["mine", 0, 2, 2]);
});

for (const [transport, attempts] of [
  ["grpc", GRPC],
  ["http", HTTP],
] as const) {
  describe(`over ${transport}`, () => {
    test("every operation has an entry", () => {
      assert.deepEqual(Object.keys(attempts).toSorted(), Object.keys(TABLE[transport]).toSorted());
    });
    for (const [operation, need] of Object.entries(TABLE[transport])) {
      const attempt = attempts[operation];
      if (attempt === NOTHING_OF_TENANTS) {
        test(`${operation}: needs no role, because it contains no tenant's data`, () => {
          assert.ok(need === "open" || need === "token", need);
        });
      } else {
        test(`${operation}: neither reveals nor changes another tenant's data`, async () => {
          assert.ok(attempt, "no entry for this operation");
          const before = await ownersView();
          await attempt();
          assert.equal(await ownersView(), before);
        });
      }
    }
  });
}

test("the owner's node still works after all attempts", async () => {
  await node.heartbeat({ running: [{ itemId: item.itemId, attempt: item.attempt }] });
  await node.plan(item, 60, 20);
  const { job } = await mine.call(jobs.getJob, { id: running });
  assert.equal(job?.segmentsTotal, 3);
});
