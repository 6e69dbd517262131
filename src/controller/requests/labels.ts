/** Changes of a job's labels. */
import type { UpdateJobRequest } from "../../gen/proto/svc/v1/job_pb.ts";
import { MAX_LABELS } from "../../jobs/request-limits.ts";
import { invalid } from "../../platform/failure.ts";
import type { Labels, Relabelled } from "../../store/contract/job-records.ts";
import { checkLabelKey, checkLabels } from "./filter.ts";
import { readSpec, withLabels } from "./job-spec.ts";

/**
 * Returns a function that applies the change of labels to a spec; it returns undefined if nothing changes. Both throw
 * INVALID_REQUEST.
 */
export function relabelling({
  setLabels,
  removeLabels,
}: UpdateJobRequest): (spec: string) => Relabelled | undefined {
  checkChange(setLabels, removeLabels);
  return (text) => {
    const before: Labels = readSpec(text).labels;
    const kept = Object.entries(before).filter(([key]) => !removeLabels.includes(key));
    const labels = Object.fromEntries([...kept, ...Object.entries(setLabels)]);
    if (isSame(before, labels)) return undefined;
    checkLabels("labels", labels);
    return { spec: withLabels(text, labels), labels };
  };
}

function checkChange(set: Labels, remove: readonly string[]): void {
  if (Object.keys(set).length === 0 && remove.length === 0) {
    throw invalid("The request names no label. Give setLabels, removeLabels or both.");
  }
  checkLabels("setLabels", set);
  if (remove.length > MAX_LABELS) {
    throw invalid(`removeLabels has ${remove.length} keys; a job has at most ${MAX_LABELS} labels.`);
  }
  for (const key of remove) {
    checkLabelKey("removeLabels", key);
    if (Object.hasOwn(set, key)) throw invalid(`${key} is in both setLabels and removeLabels.`);
  }
}

function isSame(one: Labels, other: Labels): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
