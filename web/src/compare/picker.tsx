/** Selects succeeded jobs to compare, grouped by reference. */

import { useDeferredValue, useMemo, useState } from "react";
import { requestedModels } from "../../../src/jobs/default-models.ts";
import { useJobStream, useLiveJobs } from "../api/job-stream.ts";
import { codecText, countText, type Job, titleOf, videoRateText } from "../jobs/job-facts.ts";
import { select } from "../jobs/job-order.ts";
import { EVERY_JOB } from "../jobs/job-query.ts";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { type Chosen, MAX_COMPARED } from "./compare-query.ts";
import "../style/picker.css";

interface PickerProps {
  readonly chosen: readonly Chosen[];
  readonly choose: (chosen: readonly Chosen[]) => void;
  /** The reference whose jobs are listed first. */
  readonly first?: string | undefined;
}

/** Beyond these limits, use the search. */
const MAX_GROUPS = 30;
const MAX_OF_A_GROUP = 50;

export function Picker({ chosen, choose, first }: PickerProps) {
  const live = useLiveJobs(useJobStream());
  const jobs = useDeferredValue(live.jobs);
  const [text, setText] = useState("");
  const [picked, setPicked] = useState<readonly string[]>(() => chosen.map(({ id }) => id));
  const groups = useMemo(() => groupsOf(jobs, text, first), [jobs, text, first]);
  const { connection, isWhole } = live;
  if (jobs.length === 0 && (connection.state === "lost" || connection.state === "refused"))
    return <Failed error={connection.error} />;
  if (groups.length === 0 && !isWhole) return <Loading what="jobs" />;
  if (groups.length === 0 && text === "")
    return (
      <Empty title="Nothing to compare yet">
        <p>Succeeded jobs are listed here.</p>
      </Empty>
    );
  const toggle = (id: string) =>
    setPicked((before) => (before.includes(id) ? before.filter((each) => each !== id) : [...before, id]));
  const go = () =>
    choose(picked.map((id) => ({ id, ladder: chosen.find((each) => each.id === id)?.ladder })));
  return (
    <div className="picker">
      <PickerBar text={text} search={setText} count={picked.length} go={go} />
      {groups.length === 0 && <p className="quiet">No succeeded job matches.</p>}
      {groups.slice(0, MAX_GROUPS).map((group) => (
        <Group key={group.reference} {...group} picked={picked} toggle={toggle} />
      ))}
      {groups.length > MAX_GROUPS && (
        <p className="quiet">{countText(groups.length - MAX_GROUPS)} more references; search to find them.</p>
      )}
    </div>
  );
}

interface PickerBarProps {
  readonly text: string;
  readonly search: (text: string) => void;
  /** Number of selected jobs. */
  readonly count: number;
  readonly go: () => void;
}

function PickerBar({ text, search, count, go }: PickerBarProps) {
  return (
    <div className="picker-bar">
      <input
        type="search"
        aria-label="Search jobs"
        placeholder="Search names, files, labels, ids"
        value={text}
        onChange={({ target }) => search(target.value)}
      />
      <button type="button" className="primary" disabled={count === 0 || count > MAX_COMPARED} onClick={go}>
        Compare {count > 0 && count}
      </button>
      <span className="quiet" role="status">
        {count > MAX_COMPARED
          ? `${count} selected; at most ${MAX_COMPARED} can be compared.`
          : `Up to ${MAX_COMPARED}`}
      </span>
    </div>
  );
}

interface JobGroup {
  readonly reference: string;
  readonly jobs: readonly Job[];
}

function groupsOf(jobs: readonly Job[], text: string, first: string | undefined): readonly JobGroup[] {
  const query = { ...EVERY_JOB, states: ["SUCCEEDED"], text } as const;
  const byReference = Map.groupBy(select(jobs, query).jobs, ({ spec }) => spec.reference);
  return [...byReference]
    .map(([reference, jobs]) => ({ reference, jobs }))
    .sort((one, other) => Number(other.reference === first) - Number(one.reference === first));
}

/** "93.21 · 4.20 Mbit/s · h264 · 1920×1080 · vmaf_v0.6.1" */
function factsText(job: Job): string {
  const facts = [job.score?.toFixed(2), videoRateText(job), codecText(job), requestedModels(job.spec)[0]];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}

interface GroupProps extends JobGroup {
  readonly picked: readonly string[];
  readonly toggle: (id: string) => void;
}

function Group({ reference, jobs, picked, toggle }: GroupProps) {
  return (
    <fieldset className="picker-group">
      <legend>
        <bdi className="mono" title={reference}>
          {reference}
        </bdi>
      </legend>
      <ul>
        {jobs.slice(0, MAX_OF_A_GROUP).map((job) => (
          <li key={job.id}>
            <label>
              <input type="checkbox" checked={picked.includes(job.id)} onChange={() => toggle(job.id)} />
              <bdi className="name" title={job.spec.distorted}>
                {titleOf(job)}
              </bdi>
              <span className="quiet">
                <bdi>{factsText(job)}</bdi>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {jobs.length > MAX_OF_A_GROUP && (
        <p className="quiet">{countText(jobs.length - MAX_OF_A_GROUP)} more; search to find them.</p>
      )}
    </fieldset>
  );
}
