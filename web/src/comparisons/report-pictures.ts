/** Fetches the pictures of a report: stills of the worst frames of a comparison. */
import { type PicturePair, picturesOf } from "../../../src/report/pictures.ts";
import { bodyOf } from "../api/client.ts";
import type { Session } from "../session/session.ts";
import { fetchStill } from "../stills/fetch-still.ts";
import type { Comparison } from "./comparison-view.ts";

export function fetchPictures(
  { api, credentials }: Pick<Session, "api" | "credentials">,
  comparison: Comparison,
): Promise<readonly PicturePair[]> {
  return picturesOf(comparison, {
    shots: async (id) => {
      const { result } = await bodyOf(api.GET("/v1/jobs/{id}", { params: { path: { id } } }));
      return result?.shots ?? [];
    },
    ready: async (id) => {
      const { stills } = await bodyOf(api.GET("/v1/jobs/{id}/stills", { params: { path: { id } } }));
      return stills.filter(({ state }) => state === "READY").map(({ frame }) => frame);
    },
    still: async (id, frame, side) => dataUrlOf(await fetchStill(credentials, id, frame, side)),
  });
}

function dataUrlOf(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(reader.result as string));
  reader.addEventListener("error", () => reject(new Error("The picture cannot be read.")));
  reader.readAsDataURL(blob);
  return promise;
}
