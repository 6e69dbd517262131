/**
 * Two tenants of one controller: tenant "mine" has jobs, a comparison, uploads and nodes, which tenant "yours" must
 * neither see nor change.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../src/client/connection/connection.ts";
import { anyFile, insideRoots } from "../../src/controller/requests/media-policy.ts";
import { MediaRoots } from "../../src/engine/files/roots.ts";
import { ComparisonService } from "../../src/gen/proto/svc/v1/comparison_pb.ts";
import { JobService, StreamJobsResponse_Kind as Kind } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { TenantService } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import { UploadService } from "../../src/gen/proto/svc/v1/upload_pb.ts";
import type { Storage } from "../../src/jobs/media/storages.ts";
import { Peer } from "../controller/peer.ts";
import { FLEET } from "../controller/system.ts";
import { Transports } from "./transports.ts";

export const SECRET = { reference: "/media/secret-r.mp4", distorted: "/media/secret-d.mp4" };
export const OWN = { reference: "/media/own-r.mp4", distorted: "/media/own-d.mp4" };
/** The frame of the other tenant's clip. */
export const CLIP_FRAME = 30;
export const LABELS = { film: "secret" };
export const KEY = "the key";
const OTHERS_BUCKET: Storage = {
  ...{ kind: "s3", endpoint: undefined, region: "eu-central-1", privateNetwork: false },
  ...{ buckets: [{ bucket: "films-of-others", prefix: "" }], credentials: undefined },
};
const jobs = JobService.method;
const comparisons = ComparisonService.method;
const tenants = TenantService.method;
const uploads = UploadService.method;

export interface TwoTenants extends AsyncDisposable {
  readonly transports: Transports;
  readonly mine: Connection;
  readonly yours: Connection;
  /** The folder of media roots. */
  readonly media: string;
  readonly theirs: Theirs;
}

/** The data of tenant "mine". */
export interface Theirs extends Nodes {
  /** A scored job, a job with a running task, and that task. */
  readonly done: string;
  readonly running: string;
  readonly item: WorkItem;
  /** One cell, which is cancelled. */
  readonly comparison: string;
  /** Incomplete. */
  readonly upload: string;
  /** The same, to a bucket. */
  readonly bucketUpload: string;
  readonly revocation: string;
  /** What only its owner receives: a page token, and the id of an earlier event. */
  readonly pageToken: string;
  readonly eventId: string;
}

interface Nodes {
  readonly node: Peer;
  /** A fleet node that works for the other tenant. */
  readonly fleet: Peer;
}

export async function openTwoTenants(): Promise<TwoTenants> {
  const media = await makeMedia();
  const transports = await Transports.open(undefined, {
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
  const mine = transports.connect("mine");
  const yours = transports.connect("yours");
  const dispose = async (): Promise<void> => {
    mine[Symbol.dispose]();
    yours[Symbol.dispose]();
    await transports[Symbol.asyncDispose]();
    await rm(media, { recursive: true });
  };
  const theirs = await makeTheirs(transports, mine);
  assert.ok(Object.values(theirs).every((value) => value !== ""));
  return { transports, mine, yours, media, theirs, [Symbol.asyncDispose]: dispose };
}

async function makeMedia(): Promise<string> {
  const media = await mkdtemp(join(tmpdir(), "svc-tenants-"));
  await mkdir(join(media, "mine/films"), { recursive: true });
  await mkdir(join(media, "yours"));
  await mkdir(join(media, "uploads"));
  await writeFile(join(media, "mine/films/secret.mp4"), "");
  return media;
}

async function makeTheirs(transports: Transports, mine: Connection): Promise<Theirs> {
  const node = await Peer.register(transports.system.nodes, "mine", { name: "their node" });
  const scored = await scoredJob(transports, mine, node);
  const second = await mine.call(jobs.submitJob, { job: { ...SECRET, labels: LABELS, name: "secret" } });
  const item = await node.pullSome();
  const fleet = await Peer.register(transports.system.nodes, FLEET, { name: "fleet node" });
  await mine.call(jobs.submitJob, { job: { ...SECRET, name: "secret" } });
  await fleet.pullSome();
  // It keeps its task and gets no more work.
  await fleet.heartbeat({ draining: true });
  const compared = await mine.call(comparisons.submitComparison, { pairs: [SECRET], idempotencyKey: KEY });
  const comparison = compared.comparison?.id ?? "";
  await mine.call(comparisons.cancelComparison, { id: comparison });
  const what = { case: "subject", value: "secret subject" } as const;
  const revoked = await mine.call(tenants.revokeTokens, { what, reason: "secret reason" });
  const { nextPageToken: pageToken } = await mine.call(jobs.listJobs, { pageSize: 1 });
  return {
    ...{ node, fleet, ...scored, running: second.job?.id ?? "", item, comparison, pageToken },
    ...{ revocation: revoked.revocation?.id ?? "", ...(await incompleteUploads(transports, mine)) },
  };
}

/** Scores a job, cuts a clip of it, and returns the id of an event that follows. */
async function scoredJob(
  { system }: Transports,
  mine: Connection,
  node: Peer,
): Promise<Pick<Theirs, "done" | "eventId">> {
  const { job } = await mine.call(jobs.submitJob, {
    job: { ...SECRET, labels: LABELS },
    idempotencyKey: KEY,
  });
  const done = job?.id ?? "";
  await node.work(60, 20);
  await system.until("mine", done, ({ endTime }) => endTime !== undefined);
  await mine.call(jobs.requestClips, { id: done, frames: [CLIP_FRAME] });
  let eventId = "";
  for await (const { kind, eventId: id } of mine.stream(jobs.streamJobs, {})) {
    eventId = id;
    if (kind === Kind.SNAPSHOT_END) break;
  }
  return { done, eventId };
}

async function incompleteUploads(
  { system }: Transports,
  mine: Connection,
): Promise<Pick<Theirs, "upload" | "bucketUpload">> {
  const file = { name: "secret.mp4", size: 10, fingerprint: "secret" };
  const { id: upload = "" } = (await mine.call(uploads.createUpload, file)).upload ?? {};
  await mine.call(uploads.appendUpload, { id: upload, offset: 0, data: Buffer.from("secre") });
  const bucketUpload = randomUUID();
  await system.store.uploads.insert("mine", {
    ...{ id: bucketUpload, ...file, bucket: "films-of-others" },
    ...{ key: "secret.mp4", multipartId: "secret", partSize: 10 },
  });
  return { upload, bucketUpload };
}
