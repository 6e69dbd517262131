/** The controller: the services of jobs and nodes over one store, and what goes on behind them. */
import type { Registry } from "prom-client";
import type { LimitsOf } from "../jobs/limits.ts";
import { Failure } from "../platform/failure.ts";
import { within } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import { PASSING, type Tracer } from "../platform/span.ts";
import type { Announcement, Store } from "../store/store.ts";
import { AuditService } from "./audit-service.ts";
import { auditedAudit, auditedJobs, auditedNodes, auditedRevocations, auditedTenants } from "./audited.ts";
import { shuttingDown } from "./calls.ts";
import { Feed } from "./feed.ts";
import { Fleet } from "./fleet.ts";
import { JobService } from "./job-service.ts";
import { Listeners } from "./listeners.ts";
import type { MediaPolicy } from "./media-policy.ts";
import { ControllerMetrics } from "./metrics.ts";
import { NodeService } from "./node-service.ts";
import type { Operations } from "./operations.ts";
import { Pooling } from "./pooling.ts";
import { QueueLook } from "./queue-look.ts";
import { showQueue } from "./queue-metrics.ts";
import type { RevocationFeed } from "./revocation-feed.ts";
import { RevocationService } from "./revocation-service.ts";
import { Schedule } from "./schedule.ts";
import { Sessions } from "./sessions.ts";
import { SubmitLimits } from "./submit-limits.ts";
import { Sweeps } from "./sweeps.ts";
import { TenantService } from "./tenant-service.ts";

/** Milliseconds in which a store that is ready answers. */
const PING_LIMIT_MS = 2_000;

export interface ControllerSettings {
  /** Milliseconds that a lease lasts without a heartbeat; at least 1,000. */
  readonly leaseMs: number;
  /** Seconds of video that a segment should have, about. */
  readonly segmentSeconds: number;
  /** Worst moments whose stills are made without being asked for, of each job that this controller pools. */
  readonly worstStills: number;
  /** Milliseconds that a job is kept after its end. */
  readonly retentionMs: number;
  /** Milliseconds that records of the audit log are kept. */
  readonly auditRetentionMs: number;
  /** The tenant whose nodes serve all tenants; undefined: every node serves its own tenant alone. */
  readonly fleetTenant: string | undefined;
  /** Which files jobs may name. */
  readonly media: MediaPolicy;
  /** What each tenant may have and do at a time. */
  readonly limitsOf: LimitsOf;
}

export interface ControllerOptions {
  readonly store: Store;
  readonly log: Log;
  readonly registry: Registry;
  readonly settings: ControllerSettings;
  /** Undefined: nobody is asked for a token. */
  readonly tokens?: FollowedTokens | undefined;
  /** Default: one that passes on what callers give. */
  readonly tracer?: Tracer | undefined;
}

/** Of the gateway that lets callers in. */
export interface FollowedTokens {
  /** What it refuses; the controller starts and stops the following. */
  readonly feed: RevocationFeed;
  /** Milliseconds that a token's `iat` may lie in the future. */
  readonly clockSkewMs: number;
}

export interface Controller extends Operations {
  /** Begins what goes on in the background; calls are served from then on. */
  start(): void;
  /** Throws STORE_UNAVAILABLE while the store does not answer, SHUTTING_DOWN once the controller stops. */
  readiness(): Promise<void>;
  /** Ends streams, pulls and heartbeats that are held; other calls are still served, waits for jobs too. */
  refuseNew(): void;
  /** Ends waits for jobs, which may take longer than anybody has time for. */
  endWaits(): void;
  /** Ends all that goes on. The store stays open: whoever opened it closes it. */
  stop(): Promise<void>;
}

export function openController(options: ControllerOptions): Controller {
  const { store, log, registry, settings, tokens, tracer = PASSING } = options;
  const stopping = new AbortController();
  const waitsEnd = new AbortController();
  const { leaseMs, segmentSeconds, worstStills, fleetTenant, media, limitsOf } = settings;
  const { retentionMs, auditRetentionMs } = settings;
  const metrics = new ControllerMetrics(registry);
  const feed = new Feed(store, log);
  const fleet = new Fleet(store, fleetTenant);
  const schedule = new Schedule(store, leaseMs, limitsOf);
  const sessions = new Sessions(store, leaseMs, fleet);
  const news = new Listeners();
  const pooling = new Pooling({ store, log, metrics, tracer, worstStills });
  const queue = new QueueLook(store, limitsOf);
  const sweeps = new Sweeps({
    ...{ store, fleet, log, metrics },
    schedule,
    pooling,
    queue,
    leaseMs,
    retentionMs,
    auditRetentionMs,
  });
  const freed = tellerOfFreed(store, limitsOf);
  const shared = { store, log, metrics, freed, stopping: stopping.signal };
  const limits = new SubmitLimits({ store, limitsOf });
  const jobs = new JobService({
    ...{ ...shared, waitsEnd: waitsEnd.signal, feed, fleet, schedule, limits, media },
    retentionMs,
  });
  const nodes = new NodeService({
    ...shared,
    ...{ sessions, news, leaseMs, pool: pooling.offer, schedule, fleet, segmentSeconds, tracer },
  });
  metrics.show({
    ready: () => schedule.ready,
    full: () => schedule.full,
    waiting: () => schedule.waiting,
    streams: () => jobs.streams,
    nodes: () => sessions.counts(),
  });
  showQueue(registry, () => queue.view);
  const revoked = tokens?.feed;
  if (revoked) metrics.showRevocations({ entries: () => revoked.size, ageMs: () => revoked.ageMs });
  const clockSkewMs = tokens?.clockSkewMs ?? 0;
  let stopListening = (): void => {};
  return {
    jobs: auditedJobs(jobs),
    nodes: auditedNodes(nodes),
    tenants: auditedTenants(new TenantService({ ...shared, limitsOf })),
    revocations: auditedRevocations(new RevocationService({ store, log, feed: revoked, clockSkewMs })),
    audit: auditedAudit(new AuditService({ store, log })),
    start: () => {
      const hearing = { feed, schedule, sessions, news, sweeps, revoked };
      stopListening = store.onAnnouncement((told) => hear(told, hearing));
      feed.start();
      revoked?.start();
      sweeps.start();
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
      await Promise.all([sweeps.stop(), feed.stop(), revoked?.stop(), pooling.close()]);
      stopListening();
    },
  };
}

/** Tells of tenants of which work ended that ran; of those without a limit nobody needs to know. */
function tellerOfFreed(store: Store, limitsOf: LimitsOf): (tenants: readonly string[]) => void {
  return (tenants) => {
    const limited = tenants.filter((tenant) => Number.isFinite(limitsOf(tenant).segmentsRunning));
    if (limited.length > 0) store.announce({ kind: "freed", tenants: limited });
  };
}

interface Hearing {
  readonly feed: Feed;
  readonly schedule: Schedule;
  readonly sessions: Sessions;
  readonly news: Listeners;
  readonly sweeps: Sweeps;
  readonly revoked: RevocationFeed | undefined;
}

function hear(told: Announcement, { feed, schedule, sessions, news, sweeps, revoked }: Hearing): void {
  switch (told.kind) {
    case "work":
      // Of an announcement that was lost or too long only that it was is known.
      if (told.ready.length === 0) sweeps.lookForWork();
      else schedule.announce(told.ready);
      break;
    case "events":
      feed.announce();
      break;
    case "revocations":
      revoked?.announce();
      break;
    case "freed":
      schedule.freed(told.tenants);
      break;
    case "news":
      if (told.nodeIds.length === 0) {
        sessions.forgetAll();
        news.tellAll();
      }
      for (const nodeId of told.nodeIds) {
        sessions.forget(nodeId);
        schedule.dismiss(nodeId);
        news.tell(nodeId);
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
