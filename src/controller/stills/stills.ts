/** The operations on a job's stills. */
import { create } from "@bufbuild/protobuf";
import {
  DeleteStillResponseSchema,
  type GetStillRequest,
  type GetStillResponse,
  GetStillResponseSchema,
  ListStillsResponseSchema,
  RequestStillsResponseSchema,
  type Still,
  Still_Side,
  Still_State,
  StillSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { MAX_FRAMES_ASKED } from "../../jobs/stills.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import type { StillRow, StillSide } from "../../store/contract/still-records.ts";
import { ownJob, ownScoredJob } from "../api/access.ts";
import type { JobOperations } from "../api/operations.ts";
import { errorMessage } from "../messages/job.ts";
import type { ResultReader } from "../results/reader.ts";

export function stillOperations(
  store: JobStore,
  results: ResultReader,
): Pick<JobOperations, "listStills" | "getStill" | "requestStills" | "deleteStill"> {
  return {
    async listStills({ id }, { principal: { tenant } }) {
      await ownJob(store, id, (own) => store.job(tenant, own));
      return create(ListStillsResponseSchema, { stills: await messages(store, tenant, id) });
    },
    getStill: (request, { principal }) => getStill({ store, results }, principal.tenant, request),
    async requestStills({ id, frames }, { principal: { tenant } }) {
      if (frames.length < 1 || frames.length > MAX_FRAMES_ASKED) {
        throw invalid(`frames has ${frames.length} frames. Use 1 to ${MAX_FRAMES_ASKED}.`);
      }
      await ownScoredJob(store, tenant, id);
      await ownJob(store, id, (own) => store.requestStills(tenant, own, frames));
      return create(RequestStillsResponseSchema, { stills: await messages(store, tenant, id) });
    },
    async deleteStill({ id, frame }, { principal: { tenant } }) {
      await ownJob(store, id, (own) => store.deleteStill(tenant, own, frame));
      return create(DeleteStillResponseSchema, { stills: await messages(store, tenant, id) });
    },
  };
}

/** Throws STILL_NOT_FOUND if the still does not exist or is not ready, RESULT_DAMAGED, STORAGE_UNAVAILABLE. */
async function getStill(
  { store, results }: { readonly store: JobStore; readonly results: ResultReader },
  tenant: string,
  { id, frame, side: asked }: GetStillRequest,
): Promise<GetStillResponse> {
  const side = sideOf(asked);
  if (side === undefined) throw invalid("side is missing. Use REFERENCE or DISTORTED.");
  const still = await store.still(tenant, id, frame, side);
  if (still === undefined) {
    await ownJob(store, id, (own) => store.job(tenant, own));
    throw new Failure(
      "STILL_NOT_FOUND",
      `The still of frame ${frame} does not exist or is not ready. List the job's stills, or request this one.`,
    );
  }
  const { mediaType, width, height } = still;
  const image = still.image ?? (await results.read(still.object, `still of frame ${frame}`));
  const facts = { frame, side: asked, state: Still_State.READY, mediaType, width, height };
  return create(GetStillResponseSchema, { still: { ...facts, bytes: image.length }, image });
}

/** Returns undefined for an unspecified side, or one of a newer version. */
export function sideOf(side: Still_Side): StillSide | undefined {
  if (side === Still_Side.REFERENCE) return "REFERENCE";
  return side === Still_Side.DISTORTED ? "DISTORTED" : undefined;
}

async function messages(store: JobStore, tenant: string, id: string): Promise<Still[]> {
  return (await store.listStills(tenant, id)).map(stillMessage);
}

function stillMessage({ frame, side, state, image, error }: StillRow): Still {
  return create(StillSchema, {
    frame,
    side: Still_Side[side],
    state: Still_State[state],
    ...image,
    ...(error && { error: errorMessage(error) }),
  });
}
