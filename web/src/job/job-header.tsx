/** What the job is, how far it has come, and what can be done with it. */
import { Link } from "react-router";
import type { Job } from "../api/client.ts";
import type { Connection } from "../api/job-stream.ts";
import { hasEnded, labelsOf, modelsOf, progressText, shareOf, titleOf } from "../jobs/job-facts.ts";
import { ConnectionState } from "../ui/connection-state.tsx";
import { exactly, lasting } from "../ui/moments.ts";
import { StateChip } from "../ui/state-chip.tsx";
import { JobActions } from "./job-actions.tsx";

export function JobHeader({ job, connection }: { readonly job: Job; readonly connection: Connection }) {
  return (
    <header className="card job-head">
      <div className="job-title">
        <h1>
          <bdi>{titleOf(job)}</bdi>
        </h1>
        <StateChip state={job.state} />
        {!hasEnded(job) && <ConnectionState connection={connection} />}
        <JobActions job={job} />
      </div>
      <Progress job={job} />
      <Facts job={job} />
    </header>
  );
}

function Progress({ job }: { readonly job: Job }) {
  const share = shareOf(job);
  const { progress } = job;
  return (
    <div className="job-how-far">
      {job.state === "RUNNING" && (
        <progress max="1" aria-label="Progress" {...(share !== undefined && { value: share })} />
      )}
      {/* What failed says why below, in more words. */}
      {job.state !== "FAILED" && <span>{progressText(job)}</span>}
      {job.state === "RUNNING" && progress !== undefined && progress.fps > 0 && (
        <span className="quiet">{progress.fps.toFixed(progress.fps < 10 ? 1 : 0)} frames per second</span>
      )}
    </div>
  );
}

function Facts({ job }: { readonly job: Job }) {
  const { spec, id, submittedBy, createTime, startTime, endTime } = job;
  const labels = labelsOf(spec);
  return (
    <dl className="facts">
      <Fact name="Reference" className="wide">
        <bdi className="path">{spec.reference}</bdi>
      </Fact>
      <Fact name="Distorted" className="wide">
        <bdi className="path">{spec.distorted}</bdi>
      </Fact>
      <Fact name={modelsOf(spec).length > 1 ? "Models" : "Model"}>
        <bdi>{modelsOf(spec).join(", ")}</bdi>
      </Fact>
      {labels.length > 0 && (
        <Fact name="Labels">
          {labels.map(([key, value]) => (
            <Link
              key={key}
              className="label-chip"
              to={`/jobs?${new URLSearchParams({ label: `${key}=${value}` })}`}
            >
              <bdi>
                {key}={value}
              </bdi>
            </Link>
          ))}
        </Fact>
      )}
      <Fact name="Submitted">
        <time dateTime={createTime}>{exactly(createTime)}</time>
        {submittedBy !== "" && (
          <>
            {" "}
            by <bdi>{submittedBy}</bdi>
          </>
        )}
      </Fact>
      {startTime !== undefined && (
        <Fact name="Started">
          <time dateTime={startTime}>{exactly(startTime)}</time>{" "}
          <span className="quiet">after {between(createTime, startTime)}</span>
        </Fact>
      )}
      {endTime !== undefined && (
        <Fact name="Ended">
          <time dateTime={endTime}>{exactly(endTime)}</time>{" "}
          {startTime !== undefined && <span className="quiet">after {between(startTime, endTime)}</span>}
        </Fact>
      )}
      <Fact name="Id" className="id">
        <code>{id}</code>
      </Fact>
    </dl>
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
  return lasting((Date.parse(other) - Date.parse(one)) / 1000);
}
