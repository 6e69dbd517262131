/** Fetches the pictures of a report: stills of the worst frames of a comparison. */
import { type PicturePair, picturedCells, worstFrameOf } from "../../../src/report/pictures.ts";
import { bodyOf, fetchRaw } from "../api/client.ts";
import type { Session } from "../session/session.ts";
import type { Comparison } from "./comparison-view.ts";

/** Returns the pictures that there are: stills can be missing, or still be made. */
export async function fetchPictures(
  { api, credentials }: Pick<Session, "api" | "credentials">,
  comparison: Comparison,
): Promise<readonly PicturePair[]> {
  const pairs = picturedCells(comparison).map(async (cell): Promise<readonly PicturePair[]> => {
    const params = { path: { id: cell.jobId } };
    const { result } = await bodyOf(api.GET("/v1/jobs/{id}", { params }));
    const { stills } = await bodyOf(api.GET("/v1/jobs/{id}/stills", { params }));
    const frames = stills.filter(({ state }) => state === "READY").map(({ frame }) => frame);
    const worst = worstFrameOf(result?.shots ?? [], frames);
    if (worst === undefined) return [];
    const picture = async (side: "reference" | "distorted") => {
      const path = `/v1/jobs/${encodeURIComponent(cell.jobId)}/stills/${worst.frame}/${side}`;
      return dataUrlOf(await (await fetchRaw(credentials, path)).blob());
    };
    return [{ cell, ...worst, reference: await picture("reference"), distorted: await picture("distorted") }];
  });
  return (await Promise.all(pairs)).flat();
}

function dataUrlOf(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(reader.result as string));
  reader.addEventListener("error", () => reject(new Error("The picture cannot be read.")));
  reader.readAsDataURL(blob);
  return promise;
}
