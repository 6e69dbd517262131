/** Title, state, progress and actions of the job. */

import { fileName } from "../../../src/jobs/text/file-name.ts";
import type { Job } from "../api/client.ts";
import type { Connection } from "../api/job-stream.ts";
import { hasEnded, progressText, shareOf, titleOf } from "../jobs/job-facts.ts";
import { ConnectionState } from "../ui/connection-state.tsx";
import { StateChip } from "../ui/state-chip.tsx";
import { JobActions } from "./job-actions.tsx";
import { foundSides, type MediaInfo, mediaText } from "./media-info.ts";

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
      <Sides job={job} />
    </header>
  );
}

function Progress({ job }: { readonly job: Job }) {
  const { progress, fetch } = job;
  const share = fetch === undefined ? shareOf(job) : fetch.bytesDone / fetch.bytesTotal;
  return (
    <div className="job-how-far">
      {job.state === "RUNNING" && (
        <progress max="1" aria-label="Progress" {...(share !== undefined && { value: share })} />
      )}
      {/* A failed job shows its error below. */}
      {job.state !== "FAILED" && <span>{progressText(job)}</span>}
      {job.state === "RUNNING" && progress !== undefined && progress.fps > 0 && (
        <span className="quiet">{progress.fps.toFixed(progress.fps < 10 ? 1 : 0)} frames per second</span>
      )}
    </div>
  );
}

/** One line per file: its name and, once the job is planned, its properties. */
function Sides({ job }: { readonly job: Job }) {
  const { spec } = job;
  const found = foundSides(job);
  return (
    <dl className="sides">
      <Side name="Distorted" path={spec.distorted} media={found?.distorted} />
      <Side name="Reference" path={spec.reference} media={found?.reference} />
    </dl>
  );
}

interface SideProps {
  readonly name: string;
  readonly path: string;
  /** undefined while unknown. */
  readonly media: MediaInfo | undefined;
}

function Side({ name, path, media }: SideProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi title={path}>{fileName(path)}</bdi>
        {media !== undefined && (
          <>
            {" "}
            <bdi className="found">{mediaText(media)}</bdi>
          </>
        )}
      </dd>
    </div>
  );
}
