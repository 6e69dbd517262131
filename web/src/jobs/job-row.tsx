/** One job as a row of the table, and as a card where the screen is narrow. */
import { memo } from "react";
import { Age } from "../ui/age.tsx";
import { StateChip } from "../ui/state-chip.tsx";
import { JobName, JobProgress, Labels, Models, Score, Video } from "./job-cells.tsx";
import { hasEnded, type Job, titleOf } from "./job-facts.ts";

/** Actions of a row. The same object while the page is mounted, so that rows are not rendered again. */
export interface RowActions {
  readonly select: (id: string) => void;
  readonly toggleLabel: (label: string) => void;
  /** undefined if the caller lacks the role. */
  readonly cancel: ((job: Job) => void) | undefined;
  readonly again: ((job: Job) => void) | undefined;
}

export interface RowProps {
  readonly job: Job;
  /** Counts from 0. */
  readonly index: number;
  readonly isSelected: boolean;
  readonly labels: readonly string[];
  readonly actions: RowActions;
}

export const JobRow = memo(function JobRow({ job, index, isSelected, labels, actions }: RowProps) {
  return (
    <tr className={isSelected ? "selected" : undefined} aria-rowindex={index + 2}>
      <td>
        <SelectBox job={job} isSelected={isSelected} actions={actions} />
      </td>
      <td>
        <JobName job={job} />
      </td>
      <td>
        <StateChip state={job.state} />
      </td>
      <td>
        <JobProgress job={job} />
      </td>
      <td className="number">
        <Score job={job} />
      </td>
      <td className="number">
        <Video job={job} />
      </td>
      <td className="for-wide">
        <Models job={job} />
      </td>
      <td>
        <Age time={job.createTime} />
      </td>
      <td>
        <Labels job={job} chosen={labels} toggle={actions.toggleLabel} />
      </td>
      {actions.cancel !== undefined && (
        <td>
          <RowButton job={job} actions={actions} />
        </td>
      )}
    </tr>
  );
});

export const JobCard = memo(function JobCard({ job, index, isSelected, labels, actions }: RowProps) {
  return (
    <li className={isSelected ? "job-card selected" : "job-card"} aria-posinset={index + 1} aria-setsize={-1}>
      <div className="job-card-line">
        <SelectBox job={job} isSelected={isSelected} actions={actions} />
        <JobName job={job} />
        <Score job={job} />
      </div>
      <div className="job-card-line">
        <StateChip state={job.state} />
        <JobProgress job={job} />
      </div>
      {job.distortedMedia !== undefined && (
        <div className="job-card-line">
          <Video job={job} />
        </div>
      )}
      <div className="job-card-line">
        <Age time={job.createTime} />
        <Labels job={job} chosen={labels} toggle={actions.toggleLabel} />
        {actions.cancel !== undefined && <RowButton job={job} actions={actions} />}
      </div>
    </li>
  );
});

interface PartProps {
  readonly job: Job;
  readonly actions: RowActions;
}

function SelectBox({ job, isSelected, actions }: PartProps & { readonly isSelected: boolean }) {
  return (
    <label className="select-box">
      <input
        type="checkbox"
        checked={isSelected}
        aria-label={`Select ${titleOf(job)}`}
        onChange={() => actions.select(job.id)}
      />
    </label>
  );
}

/** A single button, so that the focus stays when the job ends. */
function RowButton({ job, actions }: PartProps) {
  const ended = hasEnded(job);
  const name = ended ? "Resubmit" : "Cancel";
  return (
    <button
      type="button"
      className="small"
      aria-label={`${name}: ${titleOf(job)}`}
      onClick={() => (ended ? actions.again : actions.cancel)?.(job)}
    >
      {name}
    </button>
  );
}
