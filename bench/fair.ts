/**
 * Fair shares with the real scheduler and store: 50 tenants, one of which floods the queue. Run with `npm run
 * bench:fair`; docs/performance.md has the results of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { Registry } from "prom-client";
import type { CallContext } from "../src/controller/api/operations.ts";
import { type Controller, openController } from "../src/controller/controller.ts";
import { anyFile } from "../src/controller/requests/media-policy.ts";
import { SubmitJobRequestSchema } from "../src/gen/proto/svc/v1/job_pb.ts";
import {
  PullWorkRequestSchema,
  RegisterNodeRequestSchema,
  ReportResultRequestSchema,
} from "../src/gen/proto/svc/v1/node_pb.ts";
import type { Limits } from "../src/jobs/limits.ts";
import { WORST_MOMENTS } from "../src/jobs/scores/moments.ts";
import { openLog } from "../src/platform/observability/log.ts";
import { openStore } from "../src/store/open.ts";
import { PostgresCluster } from "../test/store/postgres.ts";
import { type Film, planFilm } from "./film.ts";
import { inFlight } from "./flight.ts";
import { registrationOf, reportsOn } from "./node.ts";

const TENANTS = 50;
const FLOODED_JOBS = 500;
/** Total segments served, 40 per tenant: no tenant runs out of tasks. */
const SERVED = 40 * TENANTS;
const SLOTS = 8;
const FLEET = "fleet";
const ANY = Number.POSITIVE_INFINITY;
const UNLIMITED: Limits = { jobsQueued: ANY, segmentsRunning: ANY, submitsPerSecond: ANY, weight: 1 };

const log = openLog({ level: "error", format: "text" });
const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  await bench(await planFilm({ directory, frames: 6_000, rate: 60, segmentSeconds: 1 }));
} finally {
  await rm(directory, { recursive: true });
}

async function bench(film: Film): Promise<void> {
  await using cluster = await PostgresCluster.start({ durable: true });
  const store = await openStore({ databaseUrl: await cluster.createDatabase("fair") }, log);
  const settings = {
    ...{ leaseMs: 30_000, segmentSeconds: 1, retentionMs: 86_400_000, auditRetentionMs: 86_400_000 },
    ...{
      fleetTenant: FLEET,
      media: anyFile,
      limitsOf: () => UNLIMITED,
      defaultModelsOf: () => [],
      findingsOf: () => undefined,
      storagesOf: () => [],
      worstStills: WORST_MOMENTS,
    },
  };
  const controller = openController({ store, log, registry: new Registry(), settings });
  controller.start();
  try {
    await submit(controller, film);
    const served = await serve(controller, film);
    const counts = [...served.values()];
    const [flooding = 0, ...others] = counts;
    console.log(`\n${SERVED} segments served to ${counts.length} tenants, ${SLOTS} slots`);
    console.log(`  Jain index             ${jain(counts).toFixed(4)}`);
    console.log(`  the flooding tenant    ${flooding}`);
    console.log(`  the others             ${Math.min(...others)} … ${Math.max(...others)}`);
  } finally {
    await controller.stop();
    await store.close();
  }
}

/** Submits the flood first; every other tenant has a film queued behind it. */
async function submit({ jobs }: Controller, { pair }: Film): Promise<void> {
  const request = create(SubmitJobRequestSchema, { job: { ...pair } });
  await inFlight(FLOODED_JOBS, SLOTS, () => jobs.submitJob(request, contextOf(nameOf(0))));
  for (let tenant = 0; tenant < TENANTS; tenant++) await jobs.submitJob(request, contextOf(nameOf(tenant)));
}

/** Returns the served segments by tenant, the flooding tenant first. */
async function serve({ nodes }: Controller, film: Film): Promise<ReadonlyMap<string, number>> {
  const context = contextOf(FLEET);
  const registration = create(RegisterNodeRequestSchema, registrationOf(film, SLOTS));
  const { session } = await nodes.registerNode(registration, context);
  const served = new Map(Array.from({ length: TENANTS }, (_, tenant) => [nameOf(tenant), 0]));
  let segments = 0;
  const lane = async (): Promise<void> => {
    while (segments < SERVED) {
      const { item } = await nodes.pullWork(
        create(PullWorkRequestSchema, { session, waitMs: 5_000 }),
        context,
      );
      if (item === undefined) throw new Error("there are no tasks left");
      if (item.work.case === "segment" && segments++ < SERVED) {
        served.set(item.tenantId, (served.get(item.tenantId) ?? 0) + 1);
      }
      for (const report of reportsOn(film, item)) {
        const request = { session, itemId: item.itemId, attempt: item.attempt, report };
        await nodes.reportResult(create(ReportResultRequestSchema, request), context);
      }
    }
  };
  await Promise.all(Array.from({ length: SLOTS }, lane));
  return served;
}

/** Jain's fairness index (Jain, Chiu, Hawe 1984): 1 if all shares are equal, 1/n if one has everything. */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
}

function nameOf(tenant: number): string {
  return `tenant-${tenant}`;
}

function contextOf(tenant: string): CallContext {
  const principal = { tenant, subject: "bench", roles: ["svc:admin"] as const };
  return { requestId: "bench", principal, signal: new AbortController().signal };
}
