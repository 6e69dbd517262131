/** The operations on nodes that the transports call. */
import { create } from "@bufbuild/protobuf";
import {
  DrainNodeResponseSchema,
  type HeartbeatResponse,
  HeartbeatResponseSchema,
  ListNodesResponseSchema,
  type PullWorkRequest,
  PullWorkResponseSchema,
  RegisterNodeResponseSchema,
  type ReportResultRequest,
  ReportResultResponseSchema,
} from "../../gen/proto/svc/v1/node_pb.ts";
import { isId } from "../../jobs/ids.ts";
import { KeyedSemaphore } from "../../platform/concurrency/keyed-semaphore.ts";
import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Tracer } from "../../platform/observability/span.ts";
import type { ClaimedWork } from "../../store/contract/task-records.ts";
import { refusalOf } from "../api/admitted.ts";
import { cancelled, shuttingDown } from "../api/call.ts";
import type { CallContext, NodeOperations } from "../api/operations.ts";
import { nodeMessage } from "../messages/node.ts";
import { recordReport, stale } from "../reports/task-report.ts";
import { NODE_ROOM, newNode } from "../requests/registration.ts";
import type { Fleet } from "../scheduling/fleet.ts";
import type { Schedule } from "../scheduling/schedule.ts";
import { recordQueueWait } from "../telemetry/tracing.ts";
import { type HeartbeatOptions, heartbeat } from "./heartbeat.ts";
import { itemWithMedia, type MediaLeasing, signTitleObjects } from "./media.ts";

const MAX_WAIT_MS = 60_000;
/** Frame chunks of one tenant that are inflated at a time; zlib has four threads. */
const INFLATING = 2;
/** Milliseconds that a pull waits if its node may get no tasks. */
const IDLE_MS = 1_000;

export interface NodeServiceOptions extends HeartbeatOptions, MediaLeasing {
  readonly log: Log;
  readonly schedule: Schedule;
  readonly fleet: Fleet;
  readonly tracer: Tracer;
}

export function nodeOperations(options: NodeServiceOptions): NodeOperations {
  const { log, store, sessions, schedule, fleet, leaseMs, stopping } = options;
  const pulls = new Pulls(options);
  const reports = { ...options, semaphore: new KeyedSemaphore(INFLATING) };
  return {
    async registerNode(request, { principal }) {
      const node = newNode(request, principal.tenant);
      // The fleet tenant may have any number of nodes.
      const room = fleet.is(node.tenant) ? undefined : NODE_ROOM;
      await store.registerNode(node, room);
      fleet.changed();
      log.info({ node: node.name, nodeId: node.id, slots: node.slots }, "node registered");
      return create(RegisterNodeResponseSchema, { nodeId: node.id, session: node.session, leaseMs });
    },
    heartbeat: (request, { principal: { tenant }, signal }) =>
      request.leaving ? leave(options, request.session, tenant) : heartbeat(options, request, tenant, signal),
    async pullWork(request, context) {
      if (request.waitMs > MAX_WAIT_MS)
        throw invalid(`waitMs is ${request.waitMs}. Use 0 to ${MAX_WAIT_MS}.`);
      if (stopping.aborted) throw shuttingDown();
      const work = await pulls.next(request, context);
      const item = work && (await itemWithMedia(options, request.session, work));
      if (work !== undefined && item === undefined) schedule.ended(work.id, work.attempt);
      return create(PullWorkResponseSchema, item && { item });
    },
    async reportResult(request, { principal }) {
      const node = await sessions.find(request.session, principal.tenant);
      if (node === undefined) throw stale();
      await recordReport(reports, request, node.puller);
      if (endsWork(request)) schedule.ended(request.itemId, request.attempt);
      return create(ReportResultResponseSchema, {});
    },
    signTitleObjects: (request, { principal: { tenant } }) => signTitleObjects(options, request, tenant),
    async listNodes(_, { principal: { tenant } }) {
      const nodes = await fleet.nodesFor(tenant);
      return create(ListNodesResponseSchema, { nodes: nodes.map((node) => nodeMessage(node, tenant)) });
    },
    async drainNode({ id }, { principal: { tenant } }) {
      const node = isId(id) ? await store.drainNode(tenant, id) : undefined;
      if (node === undefined) {
        throw new Failure(
          "NODE_NOT_FOUND",
          "The tenant has no such node. List its nodes with svc nodes list.",
        );
      }
      fleet.changed();
      return create(DrainNodeResponseSchema, { node: nodeMessage(node, tenant) });
    },
  };
}

async function leave(
  { store, sessions, fleet }: NodeServiceOptions,
  session: string,
  tenant: string,
): Promise<HeartbeatResponse> {
  const node = await sessions.find(session, tenant);
  if (node !== undefined) await store.leaveNode(session);
  fleet.changed();
  return create(HeartbeatResponseSchema, {});
}

/** Hands out tasks. */
class Pulls {
  readonly #options: NodeServiceOptions;

  constructor(options: NodeServiceOptions) {
    this.#options = options;
  }

  /**
   * Returns a task, or undefined if there is none in time. Checks the caller again before it hands out a task: throws
   * what `readmit` throws, or returns no task if the token expired.
   */
  async next(
    { session, waitMs }: PullWorkRequest,
    { principal, signal: caller, readmit }: CallContext,
  ): Promise<ClaimedWork | undefined> {
    const { sessions, schedule, stopping } = this.#options;
    const until = performance.now() + waitMs;
    const signal = AbortSignal.any([caller, stopping]);
    for (let left = waitMs; ; left = until - performance.now()) {
      const { puller, state } = await sessions.need(session, principal.tenant);
      const serves = state === "ONLINE";
      const work = serves ? await schedule.pull(puller, left, signal) : await idle(left, signal);
      if (work !== undefined) {
        const refusal = await refusalOf(readmit);
        if (caller.aborted || refusal !== undefined) await this.#giveBack(session, work);
        else this.#recordClaim(work);
        // A node whose token expired pulls again with a new one.
        if (refusal !== undefined && refusal.code !== "TOKEN_EXPIRED") throw refusal;
        if (refusal !== undefined) return undefined;
      }
      if (caller.aborted) throw cancelled();
      if (work !== undefined || !serves || stopping.aborted || performance.now() >= until) return work;
      // The pull was dismissed because the state of its node changed.
      sessions.forget(puller.nodeId);
    }
  }

  /** Records a task that a node gets. */
  #recordClaim(work: ClaimedWork): void {
    const { metrics, tracer } = this.#options;
    metrics.workClaimed(work);
    recordQueueWait(tracer, work);
  }

  /** Returns a task to the queue if its caller disconnected or was rejected. */
  async #giveBack(session: string, { id, attempt, beginsJob }: ClaimedWork): Promise<void> {
    await this.#options.store.handBack({ session, itemId: id, attempt }, beginsJob);
  }
}

/** Returns whether this is the last report of a task. */
function endsWork({ report }: ReportResultRequest): boolean {
  return report.case !== "piece" && (report.case !== "still" || report.value.last);
}

async function idle(leftMs: number, signal: AbortSignal): Promise<undefined> {
  const notifier = new Notifier();
  const end = notifyOnAbort(signal, notifier);
  await notifier.wait(Math.min(leftMs, IDLE_MS));
  end();
}
