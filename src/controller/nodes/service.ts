/** The operations on nodes that the transports call. */
import { create } from "@bufbuild/protobuf";
import {
  type DrainNodeRequest,
  type DrainNodeResponse,
  DrainNodeResponseSchema,
  type HeartbeatRequest,
  type HeartbeatResponse,
  HeartbeatResponseSchema,
  type ListNodesRequest,
  type ListNodesResponse,
  ListNodesResponseSchema,
  type PullWorkRequest,
  type PullWorkResponse,
  PullWorkResponseSchema,
  type RegisterNodeRequest,
  type RegisterNodeResponse,
  RegisterNodeResponseSchema,
  type ReportResultRequest,
  type ReportResultResponse,
  ReportResultResponseSchema,
} from "../../gen/proto/svc/v1/node_pb.ts";
import { isId } from "../../jobs/ids.ts";
import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Tracer } from "../../platform/observability/span.ts";
import type { ClaimedWork, Ready } from "../../store/contract/task-records.ts";
import { refusalOf } from "../api/admitted.ts";
import { answer, cancelled, shuttingDown } from "../api/call.ts";
import type { CallContext, NodeOperations } from "../api/operations.ts";
import { nodeMessage } from "../messages/node.ts";
import { workItem } from "../messages/task.ts";
import { type ReportOptions, recordReport, stale } from "../reports/task-report.ts";
import { NODE_ROOM, newNode } from "../requests/registration.ts";
import type { Fleet } from "../scheduling/fleet.ts";
import type { Schedule } from "../scheduling/schedule.ts";
import { KeyedSemaphore } from "../stills/keyed-semaphore.ts";
import { recordQueueWait } from "../telemetry/tracing.ts";
import { type HeartbeatOptions, heartbeat } from "./heartbeat.ts";

const MAX_WAIT_MS = 60_000;
/** Frame chunks of one tenant that are inflated at a time; zlib has four threads. */
const INFLATING = 2;
/** Milliseconds that a pull waits if its node may get no tasks. */
const IDLE_MS = 1_000;

export interface NodeServiceOptions extends HeartbeatOptions, ReportOptions {
  readonly log: Log;
  readonly schedule: Schedule;
  readonly fleet: Fleet;
  /** Approximate duration of a segment in seconds of video. */
  readonly segmentSeconds: number;
  readonly tracer: Tracer;
}

export class NodeService implements NodeOperations {
  readonly #options: NodeServiceOptions;
  readonly #semaphore = new KeyedSemaphore(INFLATING);

  constructor(options: NodeServiceOptions) {
    this.#options = options;
  }

  registerNode(request: RegisterNodeRequest, context: CallContext): Promise<RegisterNodeResponse> {
    const { log, store, fleet, leaseMs } = this.#options;
    return answer(log, context, async () => {
      const node = newNode(request, context.principal.tenant);
      // The fleet tenant may have any number of nodes.
      const room = fleet.is(node.tenant) ? undefined : NODE_ROOM;
      const { ready, superseded } = await store.registerNode(node, room);
      fleet.changed();
      this.#leasesEnded(ready, superseded);
      log.info({ node: node.name, nodeId: node.id, slots: node.slots }, "node registered");
      return create(RegisterNodeResponseSchema, { nodeId: node.id, session: node.session, leaseMs });
    });
  }

  heartbeat(request: HeartbeatRequest, context: CallContext): Promise<HeartbeatResponse> {
    const { tenant } = context.principal;
    return answer(this.#options.log, context, async () => {
      if (request.leaving) return this.#leave(request.session, tenant);
      return heartbeat(this.#options, request, tenant, context.signal);
    });
  }

  pullWork(request: PullWorkRequest, context: CallContext): Promise<PullWorkResponse> {
    const { log, stopping, segmentSeconds } = this.#options;
    return answer(log, context, async () => {
      if (request.waitMs > MAX_WAIT_MS)
        throw invalid(`waitMs is ${request.waitMs}. Use 0 to ${MAX_WAIT_MS}.`);
      if (stopping.aborted) throw shuttingDown();
      const work = await this.#pull(request, context);
      if (work === undefined) return create(PullWorkResponseSchema, {});
      return create(PullWorkResponseSchema, { item: workItem(work, segmentSeconds) });
    });
  }

  reportResult(request: ReportResultRequest, context: CallContext): Promise<ReportResultResponse> {
    const { log, sessions } = this.#options;
    return answer(log, context, async () => {
      const node = await sessions.find(request.session, context.principal.tenant);
      if (node === undefined) throw stale();
      await recordReport({ ...this.#options, semaphore: this.#semaphore }, request, node.puller);
      if (endsWork(request)) this.#options.schedule.ended(request.itemId, request.attempt);
      return create(ReportResultResponseSchema, {});
    });
  }

  listNodes(_: ListNodesRequest, context: CallContext): Promise<ListNodesResponse> {
    const { tenant } = context.principal;
    return answer(this.#options.log, context, async () => {
      const nodes = await this.#options.fleet.nodesFor(tenant);
      return create(ListNodesResponseSchema, { nodes: nodes.map((node) => nodeMessage(node, tenant)) });
    });
  }

  drainNode({ id }: DrainNodeRequest, context: CallContext): Promise<DrainNodeResponse> {
    const { log, store, fleet } = this.#options;
    const { tenant } = context.principal;
    return answer(log, context, async () => {
      const node = isId(id) ? await store.drainNode(tenant, id) : undefined;
      if (node === undefined) {
        throw new Failure(
          "NODE_NOT_FOUND",
          "The tenant has no such node. List its nodes with svc nodes list.",
        );
      }
      fleet.changed();
      store.announce({ kind: "news", nodeIds: [node.id] });
      return create(DrainNodeResponseSchema, { node: nodeMessage(node, tenant) });
    });
  }

  async #leave(session: string, tenant: string): Promise<HeartbeatResponse> {
    const { store, sessions, fleet } = this.#options;
    const node = await sessions.find(session, tenant);
    if (node !== undefined) this.#leasesEnded(await store.leaveNode(session), [node.puller.nodeId]);
    fleet.changed();
    return create(HeartbeatResponseSchema, {});
  }

  #leasesEnded(ready: readonly Ready[], nodeIds: readonly string[]): void {
    const { store, capacityReleased } = this.#options;
    capacityReleased(ready.map(({ tenant }) => tenant));
    if (nodeIds.length > 0) store.announce({ kind: "news", nodeIds });
    if (ready.length > 0) store.announce({ kind: "work", ready });
    if (ready.length > 0) store.announce({ kind: "events" });
  }

  async #pull(
    { session, waitMs }: PullWorkRequest,
    { principal, signal: caller, readmit }: CallContext,
  ): Promise<ClaimedWork | undefined> {
    const { store, sessions, schedule, stopping } = this.#options;
    const until = performance.now() + waitMs;
    const signal = AbortSignal.any([caller, stopping]);
    for (let left = waitMs; ; left = until - performance.now()) {
      const { puller, state } = await sessions.need(session, principal.tenant);
      const serves = state === "ONLINE";
      const work = serves ? await schedule.pull(puller, left, signal) : await idle(left, signal);
      if (work !== undefined) {
        // Its job may be RUNNING now.
        if (work.kind === "PLAN") store.announce({ kind: "events" });
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
    const { ready } = await this.#options.store.handBack({ session, itemId: id, attempt }, beginsJob);
    this.#leasesEnded(ready ? [ready] : [], []);
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
