/** The scored encodes of a comparison as CSV. */
import { csvRow } from "../jobs/text/csv-row.ts";
import type { Comparison } from "./page.ts";

/** Columns as `svc bd` reads them: scores are means, and codec and size are remarks. */
export function* comparisonCsv({ cells = [], metrics = [] }: Comparison): Generator<string> {
  const names = metrics.map(({ name }) => name);
  yield csvRow(["ladder", "clip", "rate", "codec", "size", "distorted", ...names]);
  for (const { ladder, clip, media, distorted, pooled, state } of cells) {
    if (state !== "SUCCEEDED" || media?.videoBitRate === undefined) continue;
    const { codec, width, height, videoBitRate } = media;
    const scores = names.map((name) => String(pooled[name]?.mean ?? ""));
    yield csvRow([ladder, clip, String(videoBitRate), codec, `${width}x${height}`, distorted, ...scores]);
  }
}
