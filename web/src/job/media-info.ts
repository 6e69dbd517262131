/** What was found in both files. */
import type { components } from "../../../src/gen/rest/controller.ts";
import type { Job } from "../api/client.ts";

export type MediaInfo = components["schemas"]["MediaInfo"];

export interface Sides {
  readonly reference: MediaInfo;
  readonly distorted: MediaInfo;
}

/** In files that could not be compared. Nobody promises the shape of a failure's facts. */
export function failedSides({ error }: Job): Sides | undefined {
  const { reference, distorted } = error?.found ?? {};
  return isMedia(reference) && isMedia(distorted) ? { reference, distorted } : undefined;
}

function isMedia(value: unknown): value is MediaInfo {
  return typeof value === "object" && value !== null && "codec" in value && "width" in value;
}
