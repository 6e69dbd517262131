/** The tasks of the job: node, attempts and duration. */
import { useState } from "react";
import { workCsv } from "../../../src/report/csv/work.ts";
import type { Job, Schemas } from "../api/client.ts";
import { countText, titleOf } from "../jobs/job-facts.ts";
import { useNow } from "../ui/age.tsx";
import { formatDuration, formatInstant } from "../ui/moments.ts";
import { DownloadCsv, fileStemOf } from "../ui/save.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";

type Work = Schemas["JobWork"];

const KINDS: Readonly<Record<string, string>> = {
  PLAN: "Plan",
  SEGMENT: "Segment",
  WHOLE: "Whole video",
  STILLS: "Stills",
};

const STATES: Readonly<Record<string, string>> = {
  PENDING: "pending",
  WAITING: "waiting to retry",
  LEASED: "running",
  DONE: "done",
  FAILED: "failed",
  CANCELLED: "cancelled",
};

/** More rows are shown on request. */
const FEW = 200;

export function WorkTable({ job }: { readonly job: Job }) {
  const { work = [], retries } = job;
  const [isOpen, setIsOpen] = useState(false);
  if (work.length === 0) return null;
  const nodes = new Set(work.map(({ node }) => node).filter((node) => node !== ""));
  return (
    <section className="card" aria-label="Execution">
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          <h2>Execution</h2>
          <span className="quiet">
            {counted(work.length, "task", "tasks")} on {counted(nodes.size, "node", "nodes")}
            {retries > 0 && `, ${counted(retries, "retry", "retries")}`}
          </span>
        </summary>
        {isOpen && (
          <>
            <Tasks work={work} />
            <DownloadCsv
              of="tasks"
              name={`${fileStemOf(titleOf(job), job.id)}-tasks`}
              lines={() => workCsv(work)}
            />
          </>
        )}
      </details>
    </section>
  );
}

function counted(count: number, one: string, many: string): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

function Tasks({ work }: { readonly work: readonly Work[] }) {
  const [isAll, setIsAll] = useState(work.length <= FEW);
  return (
    <ScrollArea label="Tasks">
      <table className="work">
        <thead>
          <tr>
            <th>Task</th>
            <th>Frames</th>
            <th>State</th>
            <th>Node</th>
            <th className="number">Attempts</th>
            <th className="number">Duration</th>
            <th>Started</th>
          </tr>
        </thead>
        <tbody>
          {work.slice(0, isAll ? work.length : FEW).map((task, at) => (
            // Two stills tasks can have the same first frame; the order is the same in every response.
            // biome-ignore lint/suspicious/noArrayIndexKey: no other key is unique
            <Task key={`${at} ${task.kind} ${task.firstFrame}`} task={task} />
          ))}
        </tbody>
      </table>
      {!isAll && (
        <button type="button" onClick={() => setIsAll(true)}>
          Show all {work.length}
        </button>
      )}
    </ScrollArea>
  );
}

function Task({ task }: { readonly task: Work }) {
  const { kind, clipFrame, state, attempt, node, startTime, endTime } = task;
  return (
    <tr className={state.toLowerCase()}>
      <td>{clipFrame === undefined ? (KINDS[kind] ?? kind) : "Video"}</td>
      <td className="frames">{framesOf(task)}</td>
      <td>{STATES[state] ?? state}</td>
      <td>
        <bdi className="node">{node}</bdi>
      </td>
      <td className="number">{attempt}</td>
      <td className="number">
        {startTime !== undefined && <Took from={startTime} to={endTime} isRunning={state === "LEASED"} />}
      </td>
      <td>{startTime !== undefined && <time dateTime={startTime}>{formatInstant(startTime)}</time>}</td>
    </tr>
  );
}

/**
 * Returns the frames of a task. Those of stills are not contiguous, so each is listed; those of a video are.
 */
function framesOf({ firstFrame, frameCount, clipFrame, frames = [] }: Work): string {
  if (clipFrame === undefined && frames.length > 0) return frames.join(", ");
  return frameCount > 0 ? `${firstFrame}–${firstFrame + frameCount - 1}` : "";
}

function Took({ from, to, isRunning }: { from: string; to: string | undefined; isRunning: boolean }) {
  if (to !== undefined) return formatDuration((Date.parse(to) - Date.parse(from)) / 1000);
  return isRunning ? <SoFar from={from} /> : null;
}

function SoFar({ from }: { readonly from: string }) {
  return `${formatDuration((useNow() - Date.parse(from)) / 1000)} so far`;
}
