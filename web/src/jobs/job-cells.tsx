/** The cells of a job's row and card. Names and paths come from users, so they are isolated (bdi) and truncated. */

import { memo } from "react";
import { Link } from "react-router";
import { requestedModels } from "../../../src/jobs/default-models.ts";
import { fileName } from "../../../src/jobs/text/file-name.ts";
import { labelTexts } from "../../../src/jobs/text/labels.ts";
import { GateBadge } from "../gates/gate-badge.tsx";
import {
  codecText,
  countText,
  intervalText,
  type Job,
  type JobEstimate,
  leftText,
  progressText,
  reusedText,
  sampleText,
  shareOf,
  titleOf,
  videoRateText,
} from "./job-facts.ts";

export const JobName = memo(function JobName({ job }: { readonly job: Job }) {
  const { id, spec } = job;
  const title = titleOf(job);
  return (
    <div className="job-name">
      <Link to={`/jobs/${id}`} title={title}>
        <bdi>{title}</bdi>
      </Link>
      <div className="job-files quiet">
        <span className="paths" title={`${spec.distorted}\nvs ${spec.reference}`}>
          <bdi>{fileName(spec.distorted)}</bdi> vs <bdi>{fileName(spec.reference)}</bdi>
        </span>
        <Models job={job} />
      </div>
    </div>
  );
});

export function JobProgress({ job }: { readonly job: Job }) {
  const share = job.state === "RUNNING" ? (shareOf(job) ?? 0) : undefined;
  const [text, left] = [progressText(job), leftText(job)];
  return (
    <div className="job-progress">
      {share !== undefined && (
        <progress max="1" value={share} aria-label="Progress">
          {Math.floor(100 * share)} %
        </progress>
      )}
      <div className={job.state === "FAILED" ? "failed" : "quiet"}>
        <span title={text}>{text}</span>
        {left !== undefined && <span className="left">{left}</span>} <GateBadge job={job} />
      </div>
      {job.reuse !== undefined && <span className="quiet">{reusedText(job)}</span>}
      {job.error !== undefined && (
        <span className="quiet" title={job.error.message}>
          {job.error.message}
        </span>
      )}
    </div>
  );
}

/** The score, or the current or final estimate with its interval. */
export function Score({ job: { score, estimate } }: { readonly job: Job }) {
  if (estimate !== undefined) return <EstimatedScore estimate={estimate} />;
  if (score === undefined) return <span className="quiet">–</span>;
  return (
    <span className="score" title={String(score)}>
      {score.toFixed(2)}
    </span>
  );
}

function EstimatedScore({ estimate }: { readonly estimate: JobEstimate }) {
  return (
    <span className="score estimated" title={`Estimate from ${sampleText(estimate)}, with 95 % confidence`}>
      ≈ {estimate.score.toFixed(2)} <span className="quiet">{intervalText(estimate)}</span>
    </span>
  );
}

/** Bit rate, codec and resolution of the distorted video. */
export function Video({ job }: { readonly job: Job }) {
  const [rate, codec] = [videoRateText(job), codecText(job)];
  if (codec === undefined) return <span className="quiet">–</span>;
  return (
    <span className="job-video" title={rate === undefined ? codec : `${rate}, ${codec}`}>
      {rate !== undefined && <span>{rate}</span>}
      <bdi className="quiet">{codec}</bdi>
    </span>
  );
}

export function Models({ job }: { readonly job: Job }) {
  if (job.spec.diagnoseOnly) return <span className="job-models">diagnosis only</span>;
  const models = requestedModels(job.spec);
  const others = models.length - 1;
  return (
    <span className="job-models" title={models.join(", ")}>
      {models[0]}
      {others > 0 && <span className="quiet"> +{countText(others)}</span>}
    </span>
  );
}

interface LabelsProps {
  readonly job: Job;
  /** Labels in the filter. */
  readonly chosen: readonly string[];
  readonly toggle: (label: string) => void;
}

const SHOWN_LABELS = 2;

export function Labels({ job, chosen, toggle }: LabelsProps) {
  const labels = labelTexts(job.spec.labels);
  const rest = labels.slice(SHOWN_LABELS);
  return (
    <div className="job-labels">
      {labels.slice(0, SHOWN_LABELS).map((label) => (
        <LabelChip key={label} label={label} isChosen={chosen.includes(label)} toggle={toggle} />
      ))}
      {rest.length > 0 && (
        <span className="quiet" title={rest.join("\n")}>
          +{rest.length}
        </span>
      )}
    </div>
  );
}

interface LabelChipProps {
  readonly label: string;
  readonly isChosen: boolean;
  readonly toggle: (label: string) => void;
}

function LabelChip({ label, isChosen, toggle }: LabelChipProps) {
  return (
    <button
      type="button"
      className="label-chip"
      aria-pressed={isChosen}
      title={`${label}\n${isChosen ? "Remove this filter" : "Filter by this label"}`}
      onClick={() => toggle(label)}
    >
      <bdi>{label}</bdi>
    </button>
  );
}
