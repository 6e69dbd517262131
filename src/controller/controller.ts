/** The controller: the services of jobs and nodes over one store, and what goes on behind them. */
import type { Registry } from "prom-client";
import { Failure } from "../platform/failure.ts";
import { within } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import type { Announcement, Store } from "../store/store.ts";
import { shuttingDown } from "./calls.ts";
import { Feed } from "./feed.ts";
import { Fleet } from "./fleet.ts";
import { JobService } from "./job-service.ts";
import { Listeners } from "./listeners.ts";
import type { MediaPolicy } from "./media-policy.ts";
import { ControllerMetrics } from "./metrics.ts";
import { NodeService } from "./node-service.ts";
import type { JobOperations, NodeOperations } from "./operations.ts";
import { Pooling } from "./pooling.ts";
import { Schedule } from "./schedule.ts";
import { Sessions } from "./sessions.ts";
import { Sweeps } from "./sweeps.ts";

/** Milliseconds in which a store that is ready answers. */
const PING_LIMIT_MS = 2_000;

export interface ControllerSettings {
  /** Milliseconds that a lease lasts without a heartbeat; at least 1,000. */
  readonly leaseMs: number;
  /** Seconds of video that a segment should have, about. */
  readonly segmentSeconds: number;
  /** Milliseconds that a job is kept after its end. */
  readonly retentionMs: number;
  /** The tenant whose nodes serve all tenants; undefined: every node serves its own tenant alone. */
  readonly fleetTenant: string | undefined;
  /** Which files jobs may name. */
  readonly media: MediaPolicy;
}

export interface ControllerOptions {
  readonly store: Store;
  readonly log: Log;
  readonly registry: Registry;
  readonly settings: ControllerSettings;
}

export interface Controller {
  readonly jobs: JobOperations;
  readonly nodes: NodeOperations;
  /** Begins what goes on in the background; calls are served from then on. */
  start(): void;
  /** Throws STORE_UNAVAILABLE while the store does not answer, SHUTTING_DOWN once the controller stops. */
  readiness(): Promise<void>;
  /** Ends streams, waits, pulls and heartbeats that are held; short calls are still served. */
  refuseNew(): void;
  /** Ends all that goes on. The store stays open: whoever opened it closes it. */
  stop(): Promise<void>;
}

export function openController({ store, log, registry, settings }: ControllerOptions): Controller {
  const stopping = new AbortController();
  const { leaseMs, segmentSeconds, retentionMs, fleetTenant, media } = settings;
  const metrics = new ControllerMetrics(registry);
  const feed = new Feed(store, log);
  const fleet = new Fleet(store);
  const schedule = new Schedule(store, leaseMs);
  const sessions = new Sessions(store, leaseMs);
  const news = new Listeners();
  const pooling = new Pooling({ store, log, metrics });
  const sweeps = new Sweeps({ store, log, metrics, schedule, pooling, leaseMs, retentionMs });
  const shared = { store, log, metrics, stopping: stopping.signal };
  const jobs = new JobService({ ...shared, feed, fleet, schedule, media });
  const isFleet = (tenant: string): boolean => tenant === fleetTenant;
  const nodes = new NodeService({
    ...shared,
    ...{ sessions, news, leaseMs, pool: pooling.offer, schedule, fleet, segmentSeconds, isFleet },
  });
  metrics.show({
    ready: () => schedule.ready,
    waiting: () => schedule.waiting,
    streams: () => jobs.streams,
    nodes: () => sessions.counts(),
  });
  let stopListening = (): void => {};
  return {
    jobs,
    nodes,
    start: () => {
      stopListening = store.onAnnouncement((told) => hear(told, { feed, schedule, sessions, news, sweeps }));
      feed.start();
      sweeps.start();
    },
    readiness: async () => {
      if (stopping.signal.aborted) throw shuttingDown();
      await pingOf(store);
    },
    refuseNew: () => stopping.abort(),
    stop: async () => {
      stopping.abort();
      await Promise.all([sweeps.stop(), feed.stop(), pooling.close()]);
      stopListening();
    },
  };
}

interface Hearing {
  readonly feed: Feed;
  readonly schedule: Schedule;
  readonly sessions: Sessions;
  readonly news: Listeners;
  readonly sweeps: Sweeps;
}

function hear(told: Announcement, { feed, schedule, sessions, news, sweeps }: Hearing): void {
  switch (told.kind) {
    case "work":
      // Of an announcement that was lost or too long only that it was is known.
      if (told.ready.length === 0) sweeps.lookForWork();
      else schedule.announce(told.ready);
      break;
    case "events":
      feed.announce();
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
