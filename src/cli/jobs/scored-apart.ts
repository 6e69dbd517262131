/** Notes that jobs of a list were scored by different scorers or models. */
import type { Job } from "../../gen/proto/svc/v1/job_pb.ts";
import {
  hasSeveralLibvmafs,
  LIBVMAF_DIFFERENCE,
  modelsApart,
  type ScoredBy,
  scorersApart,
  type Variant,
} from "../../jobs/scored-apart.ts";
import { printable } from "../terminal/escape.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

/** Returns no lines if all results have the same scorer and models. Jobs without a result are left out. */
export function scoredApartLines(jobs: readonly Job[], { columns }: Pick<Terminal, "columns">): string[] {
  const results = jobs.flatMap(({ id, result }): ScoredBy[] =>
    result?.scorer === undefined ? [] : [{ label: id, scorer: result.scorer, models: result.models }],
  );
  const scorers = scorersApart(results);
  const digits = hasSeveralLibvmafs(results)
    ? ` Between versions of libvmaf, scores of the 0.6.1 models differ by up to ${LIBVMAF_DIFFERENCE} in HD, and by more in small frames.`
    : "";
  const notes = [
    ...modelsApart(results).map(
      ({ metric, models }) => `Note: ${metric} holds scores of different models: ${countsText(models)}.`,
    ),
    ...(scorers.length === 0 ? [] : [`Note: scored by different scorers: ${countsText(scorers)}.${digits}`]),
  ];
  return notes.flatMap((note) => wrap(printable(note), columns, "  "));
}

function countsText(variants: readonly Variant[]): string {
  return variants
    .map(({ text, labels }) => `${text} (${labels.length} ${labels.length === 1 ? "job" : "jobs"})`)
    .join("; ");
}
