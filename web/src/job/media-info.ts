/** What was found in a file. */
import type { components } from "../../../src/gen/rest/controller.ts";

export type MediaInfo = components["schemas"]["ScoreResult"]["reference"];

/** As a failure's facts have it, whose shape nobody promises. */
export function isMedia(value: unknown): value is MediaInfo {
  return typeof value === "object" && value !== null && "codec" in value && "width" in value;
}
