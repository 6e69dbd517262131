/** The change that rescoring makes to a job, and the resulting submission. */
import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import {
  type Job,
  type JobSpec,
  type SubmitJobRequest,
  SubmitJobRequestSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { requestedModels } from "../../jobs/default-models.ts";
import { MAX_LABELS } from "../../jobs/request-limits.ts";
import { required } from "../connection/server.ts";
import { expectedGates } from "../score/gates.ts";

/**
 * Label of a rescored job: the id of the job that it was made from. The prefix keeps it apart from the users'
 * own labels.
 */
export const ORIGIN_LABEL = "svc/rescore-of";

/** What changes; at least one of the two is given. */
export interface Change {
  /** The models instead of the job's; undefined: its own. */
  readonly models: readonly string[] | undefined;
  /** The scorer's version instead of the job's; undefined: its own. */
  readonly scorerVersion: string | undefined;
}

/**
 * Returns the submission of a job with the change. Its idempotency key depends on the job and on what it will be scored
 * with, so that a repetition returns the job that was stored first. The label of its origin is left out if the job
 * already has as many labels as possible.
 */
export function changedRequest(job: Job, change: Change): SubmitJobRequest {
  const spec = changedSpec(job, change);
  const labels = { ...spec.labels, [ORIGIN_LABEL]: job.id };
  const fits = Object.keys(labels).length <= MAX_LABELS;
  return create(SubmitJobRequestSchema, {
    job: { ...spec, labels: fits ? labels : spec.labels },
    idempotencyKey: `rescore/${job.id}/${hash("sha256", scoredWith(spec), "hex").slice(0, 32)}`,
  });
}

/** Returns the jobs that the change affects, without those that are rescored copies of another of `jobs`. */
export function withDifference(jobs: readonly Job[], change: Change): Job[] {
  const results = new Map(jobs.map((job) => [job.id, scoredWith(changedSpec(job, change))]));
  return jobs.filter((job) => {
    const result = results.get(job.id);
    const origin = job.spec?.labels[ORIGIN_LABEL] ?? "";
    return result !== scoredWith(specOf(job)) && result !== results.get(origin);
  });
}

/** A job that names no model was scored with the default of the API, and not with its tenant's default models. */
function changedSpec(job: Job, { models, scorerVersion }: Change): JobSpec {
  const spec = specOf(job);
  const next = {
    models: [...(models ?? requestedModels(spec))],
    scorerVersion: scorerVersion ?? spec.scorerVersion,
  };
  return { ...spec, model: "", ...next, gates: gatesWith(spec, next.models) };
}

/** Returns those gates of a job whose metric a score by these models will have. */
function gatesWith({ gates, features, estimate }: JobSpec, models: readonly string[]): string[] {
  return gates.filter((gate) => {
    try {
      expectedGates([gate], { models, features }, estimate !== undefined);
      return true;
    } catch {
      return false;
    }
  });
}

function specOf({ id, spec }: Job): JobSpec {
  return required(spec, `the spec of job ${id}`);
}

/** Returns what determines the scores of a pair: equal texts mean equal scores. */
function scoredWith(spec: JobSpec): string {
  return JSON.stringify([requestedModels(spec), spec.scorerVersion]);
}
