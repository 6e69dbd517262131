/** Runs one leased task to an outcome that can be reported. */

import type { Diagnosis } from "../engine/contract/diagnosis.ts";
import type { PairRequest } from "../engine/contract/request.ts";
import { SegmentMismatch } from "../engine/contract/segment-mismatch.ts";
import type {
  Clip,
  PlannedPair,
  SegmentOptions,
  SegmentScored,
  Still,
  StillsPart,
  WorkEngine,
} from "../engine/contract/work.ts";
import type { ClipWork, PlanWork, SegmentWork, StillsWork, WorkItem } from "../gen/proto/svc/v1/node_pb.ts";
import { OBJECTS, pairRequestOf } from "../messages/request.ts";
import { Failure } from "../platform/failure.ts";
import type { Lease } from "./lease.ts";
import type { Needing, NodeMedia } from "./media/node-media.ts";

/** Seconds. A longer segment would show too little progress, and lose too much work with its node. */
const MAX_SEGMENT_SECONDS = 3600;
/** Bytes of a plan's report, well below gRPC's default limit of 4 MiB; the controller's own limit is 1 MiB. */
const MAX_PLAN_BYTES = 1_000_000;
/**
 * The same limit for a plan with units of an estimate: 5,000 units take 1.2 MB, and 10,000, the most that a
 * controller accepts, twice that.
 */
const MAX_UNITS_BYTES = 3_000_000;
/** Frames whose stills one task makes; a call may request no more. */
const MAX_FRAMES_SHOWN = 16;
/** Bytes of a segment in a report in addition to its text: its numbers and its key. */
const SEGMENT_BYTES = 60;

export type Outcome =
  | { readonly kind: "PLANNED"; readonly planned: PlannedPair }
  | { readonly kind: "SCORED"; readonly scored: SegmentScored }
  | { readonly kind: "DRAWN"; readonly stills: readonly Still[] }
  | { readonly kind: "FILMED"; readonly clip: Clip }
  | { readonly kind: "DIAGNOSED"; readonly diagnosis: Diagnosis }
  | { readonly kind: "LISTED"; readonly renditions: readonly string[] }
  | { readonly kind: "FAILED"; readonly failure: Failure }
  /** The lease was stopped, and with it the task. */
  | { readonly kind: "STOPPED" };

/**
 * Never throws: an error becomes the outcome. `timeoutMs`: wall-clock limit of the task. `onScored`: as in
 * SegmentOptions.
 */
export async function perform(
  lease: Lease,
  openedEngine: () => WorkEngine,
  media: NodeMedia,
  timeoutMs: number,
  onScored?: () => void,
): Promise<Outcome> {
  try {
    const engine = openedEngine();
    const { request, work } = checked(lease.item);
    const { jobId, tenantId: tenant, itemId, attempt } = lease.item;
    const fence = { session: lease.session, itemId, attempt };
    const task = { fence, jobId, tenant, media: lease.media, plan: planOf(work), names: request };
    if (work.case === "title") return await list(task, media, lease.signal);
    const remote = media.openers(task);
    const limits = { tenant, remote, signal: lease.signal, timeoutMs, onScored };
    const outcome = await outcomeOf(engine, request, work, lease, limits);
    return lease.signal.aborted ? { kind: "STOPPED" } : outcome;
  } catch (thrown) {
    if (lease.signal.aborted) return { kind: "STOPPED" };
    return { kind: "FAILED", failure: Failure.from(thrown) };
  }
}

async function outcomeOf(
  engine: WorkEngine,
  request: PairRequest,
  work: CheckedWork["work"],
  lease: Lease,
  limits: WorkLimits,
): Promise<Outcome> {
  if (work.case === "plan") return plan(engine, request, work.value, limits);
  if (work.case === "segment") return score(engine, request, work.value, lease, limits);
  if (work.case === "stills") return draw(engine, request, work.value, limits);
  if (work.case === "clip") return film(engine, request, work.value, limits);
  return { kind: "DIAGNOSED", diagnosis: await engine.diagnose(request, limits) };
}

function planOf({ case: kind, value }: CheckedWork["work"]): string | undefined {
  return kind === "segment" ? value.plan : undefined;
}

/** Lists the renditions of the title that the request names. */
async function list(task: Needing, media: NodeMedia, signal: AbortSignal): Promise<Outcome> {
  const renditions = await media.renditionsOf(task, signal);
  return signal.aborted ? { kind: "STOPPED" } : { kind: "LISTED", renditions };
}

/** Whether the pair must be scored whole, because its segment boundaries differ from the plan. */
export function isSegmentMismatch(failure: Failure): boolean {
  return failure instanceof SegmentMismatch;
}

interface CheckedWork {
  readonly request: PairRequest;
  readonly work: Extract<WorkItem["work"], { case: string }>;
}

/** The controller passes on input of clients and other nodes, so everything is checked again here. */
function checked({ request, work }: WorkItem): CheckedWork {
  if (request === undefined || work.case === undefined) {
    throw new Failure(
      "INVALID_REQUEST",
      "The task has no pair, or is of a kind that this node does not support.",
    );
  }
  return { request: pairRequestOf(request, OBJECTS), work };
}

type WorkLimits = Required<Pick<SegmentOptions, "tenant" | "remote" | "signal" | "timeoutMs" | "onScored">>;

/** Plans a pair; if there are too many segments or units for the report, plans again with longer ones. */
async function plan(
  engine: WorkEngine,
  request: PairRequest,
  { segmentSeconds, units }: PlanWork,
  limits: WorkLimits,
): Promise<Outcome> {
  if (segmentSeconds < 1 || segmentSeconds > MAX_SEGMENT_SECONDS) {
    throw new Failure(
      "INVALID_REQUEST",
      `segmentSeconds is ${segmentSeconds}. Use 1 to ${MAX_SEGMENT_SECONDS}.`,
    );
  }
  if (units) {
    const planned = await engine.plan(request, { ...limits, segments: "units" });
    if (planBytes(planned) <= MAX_UNITS_BYTES) return { kind: "PLANNED", planned };
  }
  for (let seconds = segmentSeconds; ; ) {
    const planned = await engine.plan(request, { ...limits, segments: { seconds } });
    const bytes = planBytes(planned);
    if (bytes <= MAX_PLAN_BYTES) return { kind: "PLANNED", planned };
    if (planned.segments.length === 1) {
      throw new Failure("INTERNAL", `The plan has ${bytes} bytes, which is too large to report.`);
    }
    seconds *= 2 * Math.ceil(bytes / MAX_PLAN_BYTES);
  }
}

function planBytes({ plan: text, segments }: PlannedPair): number {
  const each = segments.map(({ segment }) => Buffer.byteLength(segment) + SEGMENT_BYTES);
  return each.reduce((sum, bytes) => sum + bytes, Buffer.byteLength(text));
}

/** All stills are held in memory until they are reported. */
async function draw(
  engine: WorkEngine,
  request: PairRequest,
  { plan: text, parts }: StillsWork,
  limits: WorkLimits,
): Promise<Outcome> {
  const frames = parts.reduce((sum, part) => sum + part.frames.length, 0);
  if (frames < 1 || frames > MAX_FRAMES_SHOWN) {
    throw new Failure(
      "INVALID_REQUEST",
      `The task asks for stills of ${frames} frames. Use 1 to ${MAX_FRAMES_SHOWN}.`,
    );
  }
  const stills = await engine.stills({ request, plan: text, parts: parts.map(partOf) }, limits);
  return { kind: "DRAWN", stills };
}

async function film(
  engine: WorkEngine,
  request: PairRequest,
  { plan: text, frame, parts }: ClipWork,
  limits: WorkLimits,
): Promise<Outcome> {
  const clip = await engine.clip({ request, plan: text, frame, parts: parts.map(partOf) }, limits);
  return { kind: "FILMED", clip };
}

function partOf({ segment, frames }: StillsWork["parts"][number]): StillsPart {
  return { segment: segment === "" ? undefined : segment, frames };
}

async function score(
  engine: WorkEngine,
  request: PairRequest,
  { plan: text, segment }: SegmentWork,
  lease: Lease,
  limits: WorkLimits,
): Promise<Outcome> {
  const scored = await engine.scoreSegment(
    { request, plan: text, segment: segment === "" ? undefined : segment },
    {
      ...limits,
      onFrames: (frames) => {
        lease.framesDone = frames;
      },
    },
  );
  return { kind: "SCORED", scored };
}
