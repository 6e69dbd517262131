/** Fetches the pictures of a report: stills of the worst frames of a comparison. */
import type { Connection } from "../../client/connection/connection.ts";
import type { Comparison } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { JobService, Still_Side, Still_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { comparisonJson } from "../../messages/json.ts";
import { type PicturePair, picturesOf } from "../../report/pictures.ts";

const { getJob, getStill, listStills } = JobService.method;
const SIDES = { reference: Still_Side.REFERENCE, distorted: Still_Side.DISTORTED } as const;

export function fetchPictures(
  connection: Connection,
  comparison: Comparison,
  signal: AbortSignal,
): Promise<readonly PicturePair[]> {
  return picturesOf(comparisonJson(comparison), {
    shots: async (id) => {
      const { job } = await connection.call(getJob, { id }, { signal });
      return job?.result?.shots ?? [];
    },
    ready: async (id) => {
      const { stills } = await connection.call(listStills, { id }, { signal });
      return stills.filter(({ state }) => state === Still_State.READY).map(({ frame }) => frame);
    },
    still: async (id, frame, side) => {
      const asked = { id, frame, side: SIDES[side] };
      const { still, image } = await connection.call(getStill, asked, { signal });
      return `data:${still?.mediaType};base64,${Buffer.from(image).toString("base64")}`;
    },
  });
}
