/** The scored encodes of a comparison as CSV. */
import { csvRow } from "../../jobs/text/csv-row.ts";
import type { Comparison } from "../page.ts";

/** Yields the lines with the columns that `svc bd` reads: scores are means; it ignores the codec. */
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
