/** The job's request, who submitted it, and its times. */

import { Link } from "react-router";
import { requestedModels } from "../../../src/jobs/default-models.ts";
import type { Job } from "../api/client.ts";
import { reusedText } from "../jobs/job-facts.ts";
import { formatDuration, formatInstant } from "../ui/moments.ts";
import { comparedTexts, policyTexts } from "./findings/finding-texts.ts";
import { JobLabels } from "./job-labels.tsx";

export function Details({ job }: { readonly job: Job }) {
  const { spec, id, submittedBy, createTime, startTime, endTime, expireTime, finishes, reuse } = job;
  const compared = comparedTexts(spec);
  const policies = policyTexts(spec);
  return (
    <section className="card job-details" aria-label="Details">
      <h2>Details</h2>
      <dl className="facts">
        <Fact name="Reference" className="wide">
          <bdi className="path">{spec.reference}</bdi>
        </Fact>
        <Fact name="Distorted" className="wide">
          <bdi className="path">{spec.distorted}</bdi>
        </Fact>
        {spec.diagnoseOnly ? (
          <Fact name="Task">only diagnose, no score</Fact>
        ) : (
          <Fact name={requestedModels(spec).length > 1 ? "Models" : "Model"}>
            <bdi>{requestedModels(spec).join(", ")}</bdi>
          </Fact>
        )}
        {spec.estimate !== undefined && (
          <Fact name="Estimate">
            to ±{spec.estimate.tolerance} with 95 % confidence{" "}
            <span className="quiet">seed {spec.estimate.seed}</span>
          </Fact>
        )}
        {compared.length > 0 && (
          <Fact name="Compared" className="wide">
            {compared.join(", ")}
          </Fact>
        )}
        {policies.length > 0 && <Fact name="Findings">{policies.join(", ")}</Fact>}
        {finishes !== undefined && (
          <Fact name="Finishes">
            <Link to={`/jobs/${finishes}`}>an estimate</Link>
          </Fact>
        )}
        {reuse !== undefined && (
          <Fact name="Reused">
            {reuse.jobId === undefined ? (
              reusedText(job)
            ) : (
              <Link to={`/jobs/${reuse.jobId}`}>{reusedText(job)}</Link>
            )}
          </Fact>
        )}
        <Fact name="Labels">
          <JobLabels job={job} />
        </Fact>
        <Fact name="Submitted">
          <time dateTime={createTime}>{formatInstant(createTime)}</time>
          {submittedBy !== "" && (
            <>
              {" "}
              by <bdi>{submittedBy}</bdi>
            </>
          )}
        </Fact>
        {startTime !== undefined && (
          <Fact name="Started">
            <time dateTime={startTime}>{formatInstant(startTime)}</time>{" "}
            <span className="quiet">after {between(createTime, startTime)}</span>
          </Fact>
        )}
        {endTime !== undefined && (
          <Fact name="Ended">
            <time dateTime={endTime}>{formatInstant(endTime)}</time>{" "}
            {startTime !== undefined && <span className="quiet">after {between(startTime, endTime)}</span>}
          </Fact>
        )}
        {expireTime !== undefined && (
          <Fact name="Kept until">
            <time dateTime={expireTime}>{formatInstant(expireTime)}</time>{" "}
            {!spec.diagnoseOnly && (
              <span className="quiet kept">with its per-frame scores, stills and clips</span>
            )}
          </Fact>
        )}
        <Fact name="ID" className="id">
          <code>{id}</code>
        </Fact>
      </dl>
    </section>
  );
}

interface FactProps {
  readonly name: string;
  readonly className?: string;
  readonly children: React.ReactNode;
}

function Fact({ name, className, children }: FactProps) {
  return (
    <div className={className}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function between(one: string, other: string): string {
  return formatDuration((Date.parse(other) - Date.parse(one)) / 1000);
}
