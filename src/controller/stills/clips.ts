/** The operations on a job's clips. */
import { create } from "@bufbuild/protobuf";
import {
  type Clip,
  ClipSchema,
  DeleteClipResponseSchema,
  type GetClipRequest,
  type GetClipResponse,
  GetClipResponseSchema,
  ListClipsResponseSchema,
  RequestClipsResponseSchema,
  Still_State,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { CLIP_PIECE_BYTES, MAX_CLIP_FRAMES, MAX_CLIPS } from "../../jobs/clips.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import { framesApart } from "../../jobs/scores/moments.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { ClipRow, ReadyClip } from "../../store/contract/clip-records.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import { ownJob, ownScoredJob } from "../api/access.ts";
import type { JobOperations } from "../api/operations.ts";
import { errorMessage, readResult } from "../messages/job.ts";
import type { ResultReader } from "../results/reader.ts";

export function clipOperations(
  store: JobStore,
  results: ResultReader,
): Pick<JobOperations, "listClips" | "getClip" | "requestClips" | "deleteClip"> {
  return {
    async listClips({ id }, { principal: { tenant } }) {
      await ownJob(store, id, (own) => store.job(tenant, own));
      return create(ListClipsResponseSchema, { clips: await messages(store, tenant, id) });
    },
    getClip: (request, { principal }) => getClip({ store, results }, principal.tenant, request),
    async requestClips({ id, frames }, { principal: { tenant } }) {
      if (frames.length < 1 || frames.length > MAX_CLIPS) {
        throw invalid(`frames has ${frames.length} frames. Use 1 to ${MAX_CLIPS}.`);
      }
      await ownScoredJob(store, tenant, id);
      const length = await lengthOf(store, tenant, id);
      await ownJob(store, id, (own) => store.requestClips(tenant, own, frames, length));
      return create(RequestClipsResponseSchema, { clips: await messages(store, tenant, id) });
    },
    async deleteClip({ id, frame }, { principal: { tenant } }) {
      await ownJob(store, id, (own) => store.deleteClip(tenant, own, frame));
      return create(DeleteClipResponseSchema, { clips: await messages(store, tenant, id) });
    },
  };
}

/** Returns the number of frames that a clip of a job has, which is the minimum distance of two worst moments. */
async function lengthOf(store: JobStore, tenant: string, id: string): Promise<number> {
  const { result } = await ownJob(store, id, (own) => store.jobDetail(tenant, own));
  const rate = result === undefined ? undefined : scoredRate(readResult(result));
  return Math.min(MAX_CLIP_FRAMES, framesApart(rate));
}

interface Sources {
  readonly store: JobStore;
  readonly results: ResultReader;
}

/**
 * Reads each piece when it is requested. Throws CLIP_NOT_FOUND if the clip does not exist or is not ready,
 * RESULT_DAMAGED, STORAGE_UNAVAILABLE.
 */
async function* getClip(
  { store, results }: Sources,
  tenant: string,
  { id, frame }: GetClipRequest,
): AsyncGenerator<GetClipResponse> {
  const ready = await store.clip(tenant, id, frame);
  if (ready === undefined) {
    await ownJob(store, id, (own) => store.job(tenant, own));
    throw notFound(`The clip of frame ${frame} does not exist or is not ready.`);
  }
  const clip = clipMessage({ ...ready, frame, state: "READY", error: undefined });
  for (let number = 0; number * CLIP_PIECE_BYTES < clip.bytes; number++) {
    const piece = await pieceOf({ store, results }, tenant, id, ready, number);
    if (piece === undefined) throw notFound(`The clip of frame ${frame} was deleted while it was read.`);
    yield create(GetClipResponseSchema, { ...(number === 0 && { clip }), piece });
  }
}

/** Returns a piece of a clip. If the clip is moved while it is read, reading continues from its new place. */
async function pieceOf(
  { store, results }: Sources,
  tenant: string,
  id: string,
  clip: ReadyClip,
  number: number,
): Promise<Uint8Array | undefined> {
  const read = ({ object }: ReadyClip) =>
    object && results.part(object, number, `clip of frame ${clip.frame}`);
  const piece = (await read(clip)) ?? (await store.clipPiece(tenant, id, clip, number));
  if (piece !== undefined) return piece;
  const now = await store.clip(tenant, id, clip.frame);
  return now?.madeBy === clip.madeBy ? read(now) : undefined;
}

function notFound(what: string): Failure {
  return new Failure("CLIP_NOT_FOUND", `${what} List the job's clips, or request this one.`);
}

async function messages(store: JobStore, tenant: string, id: string): Promise<Clip[]> {
  return (await store.listClips(tenant, id)).map(clipMessage);
}

function clipMessage({ frame, state, clip, error }: ClipRow): Clip {
  return create(ClipSchema, {
    ...clip,
    frame,
    state: Still_State[state],
    ...(error && { error: errorMessage(error) }),
  });
}
