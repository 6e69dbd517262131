/** The page of one job: its files, result and per-frame scores. */
import { Link, useParams } from "react-router";
import type { Job } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";
import { Gates } from "../gates/gates.tsx";
import { hasEnded, titleOf } from "../jobs/job-facts.ts";
import { ConnectionBanner } from "../ui/connection-state.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { Details } from "./details.tsx";
import { Failure } from "./failure.tsx";
import { Findings } from "./findings/findings.tsx";
import { Frames } from "./frames/frames.tsx";
import { JobHeader } from "./job-header.tsx";
import { Media } from "./media.tsx";
import { Result } from "./result.tsx";
import { type LiveJob, useJob } from "./use-job.ts";
import { Waiting } from "./waiting.tsx";
import { WorkTable } from "./work-table.tsx";
import "../style/job.css";

export function JobPage() {
  const { id = "" } = useParams();
  // The key resets all state when another job is opened.
  return <Opened key={id} id={id} />;
}

function Opened({ id }: { readonly id: string }) {
  const live = useJob(id);
  const { job, error, retry } = live;
  usePageTitle(job === undefined ? undefined : titleOf(job));
  if (job !== undefined) return <Known job={job} live={live} />;
  if (error === null) return <Loading what="the job" />;
  if (error instanceof ApiError && error.status === 404) return <Unknown id={id} />;
  return <Failed heading="h1" error={error} retry={retry} />;
}

function Unknown({ id }: { readonly id: string }) {
  return (
    <Empty heading="h1" title="Job not found">
      <p>
        <code>{id}</code> doesn't exist, belongs to another tenant or was deleted.
      </p>
      <p>
        <Link className="button" to="/jobs">
          All jobs
        </Link>
      </p>
    </Empty>
  );
}

function Known({ job, live }: { readonly job: Job; readonly live: LiveJob }) {
  const { connection, isDeleted, retry } = live;
  return (
    <div className="job-page">
      <ConnectionBanner connection={connection} retry={retry} />
      {isDeleted && (
        <p className="banner" role="alert">
          This job was deleted. This page shows its last known state and cannot be reloaded.
        </p>
      )}
      <JobHeader job={job} connection={connection} />
      {job.state === "FAILED" && <Failure job={job} />}
      <Findings job={job} />
      {job.state === "QUEUED" && <Waiting job={job} />}
      {job.result !== undefined && <Result job={job} result={job.result} />}
      <Gates job={job} />
      {(job.progress !== undefined || hasEnded(job)) && !job.spec.diagnoseOnly && <Frames job={job} />}
      <Media job={job} />
      <Details job={job} />
      <WorkTable job={job} />
    </div>
  );
}
