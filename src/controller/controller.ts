/** The controller: its services over one store, and its background work. */
import type { Registry } from "prom-client";
import type { ReadHeader } from "../engine/header.ts";
import type { DefaultModelsOf } from "../jobs/default-models.ts";
import type { FindingsPolicyOf } from "../jobs/findings-policy.ts";
import type { LimitsOf } from "../jobs/limits.ts";
import { type ResultsSettings, type StoragesOf, without } from "../jobs/media/storages.ts";
import { ObjectReader } from "../media/objects/reader.ts";
import { ResultObjects } from "../media/results/objects.ts";
import { CredentialSource, type ReadSecret } from "../media/storages/credentials.ts";
import { Signer } from "../media/storages/signer.ts";
import { Multiparts } from "../media/uploads/multipart.ts";
import { within } from "../platform/concurrency/lifecycle.ts";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/observability/log.ts";
import { PASSING, type Tracer } from "../platform/observability/span.ts";
import type { Announcement, Store } from "../store/contract/store.ts";
import { COMPARISON_RULES, JOB_RULES, NODE_RULES, TENANT_RULES, UPLOAD_RULES } from "./api/audit-rules.ts";
import { shuttingDown } from "./api/call.ts";
import { intercepted } from "./api/intercept.ts";
import type { Operations } from "./api/operations.ts";
import { comparisonOperations } from "./comparisons/service.ts";
import { EventBuffer } from "./events/event-buffer.ts";
import { Listeners } from "./events/listeners.ts";
import { OpenStreams } from "./jobs/open-streams.ts";
import { jobOperations } from "./jobs/service.ts";
import { SubmitLimits } from "./jobs/submit-limits.ts";
import { Pooling } from "./maintenance/pooling.ts";
import { MaintenanceTasks } from "./maintenance/tasks.ts";
import { nodeOperations } from "./nodes/service.ts";
import { Sessions } from "./nodes/sessions.ts";
import type { MediaPolicy } from "./requests/media-policy.ts";
import { ResultMetrics } from "./results/metrics.ts";
import { ResultMover } from "./results/mover.ts";
import { ResultReader } from "./results/reader.ts";
import { Fleet } from "./scheduling/fleet.ts";
import { showQueue } from "./scheduling/queue-metrics.ts";
import { QueueStats } from "./scheduling/queue-stats.ts";
import { Schedule } from "./scheduling/schedule.ts";
import { ControllerMetrics } from "./telemetry/metrics.ts";
import type { RevocationFeed } from "./tenants/revocation-feed.ts";
import { tenantOperations } from "./tenants/service.ts";
import { BucketUploads } from "./uploads/buckets.ts";
import { uploadOperations } from "./uploads/service.ts";
import { type UploadSettings, Uploads } from "./uploads/uploads.ts";
import { Probes } from "./videos/probes.ts";
import { RemoteVideos } from "./videos/remote-videos.ts";

/** Milliseconds within which a ready store answers. */
const PING_LIMIT_MS = 2_000;

export interface ControllerSettings {
  /** Milliseconds that a lease lasts without a heartbeat; at least 1,000. */
  readonly leaseMs: number;
  /** Approximate duration of a segment in seconds of video. */
  readonly segmentSeconds: number;
  /** Number of worst moments per job whose stills are made automatically, for jobs that this controller pools. */
  readonly worstStills: number;
  /** Milliseconds that a job is kept after it ended. */
  readonly retentionMs: number;
  /** Milliseconds that records of the audit log are kept. */
  readonly auditRetentionMs: number;
  /** The tenant whose nodes serve all tenants; undefined: every node serves only its own tenant. */
  readonly fleetTenant: string | undefined;
  /** The files that jobs may name. */
  readonly media: MediaPolicy;
  /** Directory of uploads that go to no bucket, and the limits of all uploads; undefined: uploads are disabled. */
  readonly uploads?: UploadSettings | undefined;
  /** Reads the headers of files that are listed; undefined: none are read. */
  readonly readHeader?: ReadHeader | undefined;
  /** The storages whose objects jobs may name. */
  readonly storagesOf: StoragesOf;
  /** Where results are kept; undefined: in the database. */
  readonly results?: ResultsSettings | undefined;
  /** Reads Secrets with credentials of storages; undefined: there are none. */
  readonly readSecret?: ReadSecret | undefined;
  /** Limits of each tenant. */
  readonly limitsOf: LimitsOf;
  /** The models of each tenant's jobs that name none. */
  readonly defaultModelsOf: DefaultModelsOf;
  /** The policy on findings of each tenant's jobs that name none. */
  readonly findingsOf: FindingsPolicyOf;
}

export interface ControllerOptions {
  readonly store: Store;
  readonly log: Log;
  readonly registry: Registry;
  readonly settings: ControllerSettings;
  /** Undefined: authentication is disabled. */
  readonly tokens?: FollowedTokens | undefined;
  /** Default: one that only propagates the trace context of callers. */
  readonly tracer?: Tracer | undefined;
}

/** Token state that the controller shares with the gateway. */
export interface FollowedTokens {
  /** The revocations that the gateway checks; the controller starts and stops the feed. */
  readonly revocations: RevocationFeed;
  /** Milliseconds that a token's `iat` may lie in the future. */
  readonly clockSkewMs: number;
}

export interface Controller extends Operations {
  /** Starts background work; calls are served from then on. */
  start(): void;
  /** Throws STORE_UNAVAILABLE while the store does not answer, SHUTTING_DOWN once the controller stops. */
  readiness(): Promise<void>;
  /** Ends streams, held pulls and held heartbeats. Other calls are still served, including waits for jobs. */
  refuseNew(): void;
  /** Ends waits for jobs, which may outlast the shutdown deadline. */
  endWaits(): void;
  /** Stops everything. The store stays open: the code that opened it closes it. */
  stop(): Promise<void>;
}

export function openController(options: ControllerOptions): Controller {
  const { store, log, registry, settings, tokens, tracer = PASSING } = options;
  const stopping = new AbortController();
  const waitsEnd = new AbortController();
  const { leaseMs, segmentSeconds, worstStills, fleetTenant, media } = settings;
  const { limitsOf, defaultModelsOf, findingsOf } = settings;
  const storagesOf = storagesFor(settings);
  const { retentionMs, auditRetentionMs } = settings;
  const reader = new ObjectReader();
  const signer = new Signer(new CredentialSource(settings.readSecret));
  const multiparts = new Multiparts(signer, reader);
  const buckets = new BucketUploads({ store: store.uploads, storagesOf, multiparts, log });
  const uploads = settings.uploads && new Uploads({ ...settings.uploads, buckets, log });
  const probes = settings.readHeader && new Probes(settings.readHeader);
  const metrics = new ControllerMetrics(registry);
  const { results, mover } = resultsOf(options, signer, reader);
  const eventBuffer = new EventBuffer(store, log);
  const fleet = new Fleet(store, fleetTenant);
  const schedule = new Schedule(store, leaseMs, limitsOf, () => performance.now());
  const sessions = new Sessions(store, leaseMs, fleet);
  const notifications = new Listeners();
  const pooling = new Pooling({ store, results, log, metrics, tracer, worstStills, segmentSeconds });
  const queue = new QueueStats(store, limitsOf);
  const maintenance = new MaintenanceTasks({
    ...{ store, fleet, log, metrics },
    schedule,
    pooling,
    queue,
    leaseMs,
    retentionMs,
    auditRetentionMs,
    uploads,
    mover,
  });
  const shared = { store, log, metrics, stopping: stopping.signal };
  const limits = new SubmitLimits({ store, limitsOf });
  const streams = new OpenStreams();
  const videos = new RemoteVideos({ storagesOf, signer, reader });
  const submission = {
    ...{ store, fleet, metrics, schedule, limits, media, videos, uploads },
    ...{ defaultModelsOf, findingsOf },
  };
  const jobs = jobOperations({
    ...{ ...shared, ...submission, waitsEnd: waitsEnd.signal, eventBuffer, streams },
    results,
    ...{ retentionMs, segmentSeconds },
  });
  const nodes = nodeOperations({
    ...shared,
    ...{ sessions, notifications, leaseMs, pool: pooling.offer, schedule, fleet, segmentSeconds, tracer },
    ...{ videos, limits },
  });
  metrics.show({
    ready: () => schedule.ready,
    full: () => schedule.full,
    waiting: () => schedule.waiting,
    streams: () => streams.count,
    nodes: () => sessions.counts(),
  });
  showQueue(registry, () => queue.view);
  const revoked = tokens?.revocations;
  if (revoked) metrics.showRevocations({ entries: () => revoked.size, ageMs: () => revoked.ageMs });
  const clockSkewMs = tokens?.clockSkewMs ?? 0;
  let stopListening = (): void => {};
  return {
    jobs: intercepted(jobs, JOB_RULES, log),
    comparisons: intercepted(comparisonOperations(submission), COMPARISON_RULES, log),
    nodes: intercepted(nodes, NODE_RULES, log),
    tenants: intercepted(
      tenantOperations({
        ...{ store, limitsOf, defaultModelsOf, findingsOf, revocations: revoked, clockSkewMs },
        ...{ media, storagesOf, signer, reader, uploads, probes },
      }),
      TENANT_RULES,
      log,
    ),
    uploads: intercepted(uploadOperations(uploads, store), UPLOAD_RULES, log),
    start: () => {
      const receivers = { eventBuffer, schedule, sessions, notifications, maintenance, revoked };
      stopListening = store.onAnnouncement((announcement) => dispatch(announcement, receivers));
      eventBuffer.start();
      revoked?.start();
      maintenance.start();
    },
    readiness: async () => {
      if (stopping.signal.aborted) throw shuttingDown();
      await pingOf(store);
    },
    refuseNew: () => stopping.abort(),
    endWaits: () => waitsEnd.abort(),
    stop: async () => {
      stopping.abort();
      waitsEnd.abort();
      await Promise.all([
        ...[maintenance.stop(), eventBuffer.stop(), revoked?.stop(), pooling.close()],
        reader.close(),
      ]);
      stopListening();
    },
  };
}

/** Returns the storages of each tenant, without the results that the controller keeps there. */
function storagesFor({ storagesOf, results }: ControllerSettings): StoragesOf {
  return results === undefined ? storagesOf : (tenant) => without(storagesOf(tenant), results.place);
}

function resultsOf({ store, settings, registry }: ControllerOptions, signer: Signer, reader: ObjectReader) {
  const place = settings.results?.place;
  const objects = place && new ResultObjects(place, signer, reader);
  const metrics = new ResultMetrics(registry);
  const results = new ResultReader(objects, metrics);
  const mover =
    objects &&
    new ResultMover({
      store,
      objects,
      reader: results,
      metrics,
      scoresAfterMs: settings.results?.scoresAfterMs ?? 0,
    });
  return { results, mover };
}

interface Receivers {
  readonly eventBuffer: EventBuffer;
  readonly schedule: Schedule;
  readonly sessions: Sessions;
  readonly notifications: Listeners;
  readonly maintenance: MaintenanceTasks;
  readonly revoked: RevocationFeed | undefined;
}

function dispatch(
  announcement: Announcement,
  { eventBuffer, schedule, sessions, notifications, maintenance, revoked }: Receivers,
): void {
  switch (announcement.kind) {
    case "work":
      // The list is empty if the announcement was lost or too long to send.
      if (announcement.ready.length === 0) maintenance.lookForWork();
      else schedule.announce(announcement.ready);
      break;
    case "events":
      eventBuffer.announce();
      break;
    case "revocations":
      revoked?.announce();
      break;
    case "freed":
      schedule.capacityReleased(announcement.tenants);
      break;
    case "news":
      if (announcement.nodeIds.length === 0) {
        sessions.forgetAll();
        notifications.notifyAll();
      }
      for (const nodeId of announcement.nodeIds) {
        sessions.forget(nodeId);
        schedule.dismiss(nodeId);
        notifications.notify(nodeId);
      }
  }
}

async function pingOf(store: Store): Promise<void> {
  if (await within(PING_LIMIT_MS, () => store.ping())) return;
  throw new Failure(
    "STORE_UNAVAILABLE",
    `The store did not answer within ${PING_LIMIT_MS / 1000} s. Try again later.`,
  );
}
