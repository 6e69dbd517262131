/** Notes that jobs were scored by different scorers or models. */
import type { Job } from "../../gen/proto/svc/v1/job_pb.ts";
import {
  hasSeveralLibvmafs,
  LIBVMAF_NOTE,
  modelsApart,
  type ScoredBy,
  type ScorerCount,
  scorersApart,
  type Variant,
} from "../../jobs/scored-apart.ts";
import { printable } from "../terminal/escape.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

/**
 * Returns the notes; none if all results have the same scorer and models. Jobs without a result are left out.
 */
export function scoredApartLines(jobs: readonly Job[], { columns }: Pick<Terminal, "columns">): string[] {
  const results = jobs.flatMap(({ id, result }): ScoredBy[] =>
    result?.scorer === undefined ? [] : [{ label: id, scorer: result.scorer, models: result.models }],
  );
  const scorers = scorersApart(results);
  const notes = [
    ...modelsApart(results).map(
      ({ metric, models }) =>
        `Note: ${metric} holds scores of different models: ${countsText(countsOf(models))}.`,
    ),
    ...(scorers.length === 0 ? [] : [scorersNote(countsOf(scorers), hasSeveralLibvmafs(results))]),
  ];
  return notes.flatMap((note) => wrap(printable(note), columns, "  "));
}

/** Returns a note about the scorers, which have different versions of libvmaf; none without scorers. */
export function scorersLines(
  scorers: readonly ScorerCount[],
  { columns }: Pick<Terminal, "columns">,
): string[] {
  return scorers.length === 0 ? [] : wrap(printable(scorersNote(scorers, true)), columns, "  ");
}

function scorersNote(scorers: readonly ScorerCount[], severalLibvmafs: boolean): string {
  const note = `Note: scored by different scorers: ${countsText(scorers)}.`;
  return severalLibvmafs ? `${note} ${LIBVMAF_NOTE}` : note;
}

const countsOf = (variants: readonly Variant[]): ScorerCount[] =>
  variants.map(({ text, labels }) => ({ text, count: labels.length }));

function countsText(counts: readonly ScorerCount[]): string {
  return counts.map(({ text, count }) => `${text} (${count} ${count === 1 ? "job" : "jobs"})`).join("; ");
}
