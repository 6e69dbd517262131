/**
 * Handles a heartbeat: renews leases at once, then holds the response until a notification arrives or the hold time
 * ends.
 */
import { create } from "@bufbuild/protobuf";
import type { MediaFetch } from "../../gen/proto/svc/v1/job_pb.ts";
import {
  type HeartbeatRequest,
  type HeartbeatResponse,
  HeartbeatResponseSchema,
} from "../../gen/proto/svc/v1/node_pb.ts";
import { isId } from "../../jobs/ids.ts";
import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import { invalid } from "../../platform/failure.ts";
import type { FetchProgress } from "../../store/contract/job-records.ts";
import type { Renewal, RunningWork } from "../../store/contract/node-records.ts";
import type { Store } from "../../store/contract/store.ts";
import { cancelled } from "../api/call.ts";
import type { Listeners } from "../events/listeners.ts";
import { checkAttempt } from "../requests/attempt.ts";
import { type MediaLeasing, renewedMedia } from "./media.ts";
import { type Sessions, sessionEnded } from "./sessions.ts";

const MAX_HOLD_MS = 20_000;
/**
 * Minimum renewals per lease. A held heartbeat is answered early enough for that, regardless of the node's hold time.
 */
const RENEWALS = 3;
/**
 * Most running tasks of a heartbeat. Twice the maximum slots, because each slot may also have a task that is scored and
 * not yet reported.
 */
const MAX_RUNNING = 2048;

export interface HeartbeatOptions extends Pick<MediaLeasing, "videos" | "log"> {
  readonly store: Store;
  readonly sessions: Sessions;
  /** Notified by node id when a task of the node ended or a drain began. */
  readonly notifications: Listeners;
  readonly leaseMs: number;
  /** Aborts when the controller stops: held heartbeats are answered. */
  readonly stopping: AbortSignal;
}

type Live = Renewal & { readonly node: NonNullable<Renewal["node"]> };

/** Throws INVALID_REQUEST, SESSION_UNKNOWN, NODE_SUPERSEDED, or SCORE_CANCELLED if the caller disconnected. */
export async function heartbeat(
  options: HeartbeatOptions,
  request: HeartbeatRequest,
  tenant: string,
  signal: AbortSignal,
): Promise<HeartbeatResponse> {
  const running = runningOf(request);
  if (request.holdMs > MAX_HOLD_MS) throw invalid(`holdMs is ${request.holdMs}. Use 0 to ${MAX_HOLD_MS}.`);
  // Checked before anything is renewed: a session used by another tenant must not change anything.
  const { puller } = await options.sessions.need(request.session, tenant);
  const until = performance.now() + Math.min(request.holdMs, options.leaseMs / RENEWALS);
  const notifier = new Notifier();
  const renew = () => renewed(options, request, running);
  const endings = [notifyOnAbort(signal, notifier), notifyOnAbort(options.stopping, notifier)];
  endings.push(options.notifications.on(puller.nodeId, notifier.notify));
  try {
    const renewal = await renew();
    // Only at this moment: while the response is held, the node may lease tasks that this heartbeat does not list.
    if (renewal.forgotten) await options.store.requeueForgotten(request.session, running);
    const hold = { until, notifier, drains: request.draining, ...options, renew, signal };
    const answer = await untilNews(renewal, hold);
    return { ...answer, media: await renewedMedia(options, request.session, request.running) };
  } finally {
    for (const end of endings) end();
  }
}

interface Hold {
  /** A time of performance.now(). */
  readonly until: number;
  readonly notifier: Notifier;
  /** The node reported that it drains. */
  readonly drains: boolean;
  readonly stopping: AbortSignal;
  readonly signal: AbortSignal;
  readonly renew: () => Promise<Live>;
}

async function untilNews(first: Live, hold: Hold): Promise<HeartbeatResponse> {
  for (let renewal = first; ; renewal = await hold.renew()) {
    const answer = answerOf(renewal);
    if (answer.stop.length > 0 || (answer.drain && !hold.drains)) return answer;
    const left = hold.until - performance.now();
    if (left <= 0 || hold.stopping.aborted) return answer;
    const rang = await hold.notifier.wait(left);
    if (hold.signal.aborted) throw cancelled();
    // The node's next heartbeat follows at once and renews. Renewing here too would double the writes of a fleet.
    if (!rang) return answer;
  }
}

async function renewed(
  { store, sessions, leaseMs }: HeartbeatOptions,
  { session, draining }: HeartbeatRequest,
  running: readonly RunningWork[],
): Promise<Live> {
  const renewal = await store.renew(session, running, leaseMs, draining);
  const { node } = renewal;
  if (renewal.session !== "LIVE") throw sessionEnded(renewal.session);
  if (node === undefined) throw sessionEnded("UNKNOWN");
  sessions.recordState(node.id, node.state);
  return { ...renewal, node };
}

function runningOf({ running }: HeartbeatRequest): readonly RunningWork[] {
  if (running.length > MAX_RUNNING) throw invalid(`running has more than ${MAX_RUNNING} tasks.`);
  return running.map(({ itemId, attempt, framesDone, fetch }, index) => {
    if (!isId(itemId)) throw invalid(`running[${index}].itemId is not a task id.`);
    checkAttempt(`running[${index}].attempt`, attempt);
    return { itemId, attempt, framesDone, fetch: fetch && fetchOf(`running[${index}].fetch`, fetch) };
  });
}

function fetchOf(name: string, { bytesDone, bytesTotal }: MediaFetch): FetchProgress {
  for (const [field, bytes] of Object.entries({ bytesDone, bytesTotal })) {
    const isCount = Number.isSafeInteger(bytes) && bytes >= 0;
    if (!isCount) throw invalid(`${name}.${field} is ${bytes}. Use 0 to ${Number.MAX_SAFE_INTEGER}.`);
  }
  return { done: Math.min(bytesDone, bytesTotal), total: bytesTotal };
}

function answerOf({ lost, node }: Live): HeartbeatResponse {
  const stop = lost.map(({ itemId, attempt }) => ({ itemId, attempt }));
  return create(HeartbeatResponseSchema, { stop, drain: node.state === "DRAINING" });
}
