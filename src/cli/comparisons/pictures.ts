/** Fetches the pictures of a report: stills of the worst frames of a comparison. */
import type { Connection } from "../../client/connection/connection.ts";
import type { Comparison } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { JobService, Still_Side, Still_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { comparisonJson } from "../../messages/json.ts";
import { type PicturePair, picturedCells, worstFrameOf } from "../../report/pictures.ts";

const { getJob, getStill, listStills } = JobService.method;

/** Returns the pictures that there are: stills can be missing, or still be made. */
export async function fetchPictures(
  connection: Connection,
  comparison: Comparison,
  signal: AbortSignal,
): Promise<readonly PicturePair[]> {
  const pairs = picturedCells(comparisonJson(comparison)).map(
    async (cell): Promise<readonly PicturePair[]> => {
      const { jobId: id } = cell;
      const { job } = await connection.call(getJob, { id }, { signal });
      const { stills } = await connection.call(listStills, { id }, { signal });
      const ready = stills.filter(({ state }) => state === Still_State.READY);
      const frames = ready.map(({ frame }) => frame);
      const worst = worstFrameOf(job?.result?.shots ?? [], frames);
      if (worst === undefined) return [];
      const picture = async (side: Still_Side) => {
        const { still, image } = await connection.call(
          getStill,
          { id, frame: worst.frame, side },
          { signal },
        );
        return `data:${still?.mediaType};base64,${Buffer.from(image).toString("base64")}`;
      };
      const [reference, distorted] = [
        await picture(Still_Side.REFERENCE),
        await picture(Still_Side.DISTORTED),
      ];
      return [{ cell, ...worst, reference, distorted }];
    },
  );
  return (await Promise.all(pairs)).flat();
}
