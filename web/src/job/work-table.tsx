/** Where each piece of the job ran, how often it was tried, and how long it took. */
import { useState } from "react";
import type { Job, Schemas } from "../api/client.ts";
import { useNow } from "../ui/age.tsx";
import { exactly, lasting } from "../ui/moments.ts";
import { Scrolls } from "../ui/scrolls.tsx";

type Work = Schemas["JobWork"];

const KINDS: Readonly<Record<string, string>> = {
  PLAN: "Plan",
  SEGMENT: "Segment",
  WHOLE: "Whole video",
  STILLS: "Stills",
};

const STATES: Readonly<Record<string, string>> = {
  PENDING: "waits",
  WAITING: "waits to be tried again",
  LEASED: "running",
  DONE: "done",
  FAILED: "failed",
  CANCELLED: "cancelled",
};

/** More rows are shown when they are asked for. */
const FEW = 200;

export function WorkTable({ job }: { readonly job: Job }) {
  const { work = [], retries } = job;
  const [isOpen, setIsOpen] = useState(false);
  if (work.length === 0) return null;
  const nodes = new Set(work.map(({ node }) => node).filter((node) => node !== ""));
  return (
    <section className="card" aria-label="Where it ran">
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          <h2>Where it ran</h2>
          <span className="quiet">
            {work.length} {work.length === 1 ? "piece" : "pieces"} of work on {nodes.size}{" "}
            {nodes.size === 1 ? "node" : "nodes"}
            {retries > 0 && `, given out again ${retries} ${retries === 1 ? "time" : "times"}`}
          </span>
        </summary>
        {isOpen && <Pieces work={work} />}
      </details>
    </section>
  );
}

function Pieces({ work }: { readonly work: readonly Work[] }) {
  const [isAll, setIsAll] = useState(work.length <= FEW);
  return (
    <Scrolls label="Pieces of work">
      <table className="work">
        <thead>
          <tr>
            <th>Piece</th>
            <th>Frames</th>
            <th>State</th>
            <th>Node</th>
            <th className="number">Attempts</th>
            <th className="number">Took</th>
            <th>Started</th>
          </tr>
        </thead>
        <tbody>
          {work.slice(0, isAll ? work.length : FEW).map((piece) => (
            <Piece key={`${piece.kind} ${piece.firstFrame}`} piece={piece} />
          ))}
        </tbody>
      </table>
      {!isAll && (
        <button type="button" onClick={() => setIsAll(true)}>
          Show all {work.length}
        </button>
      )}
    </Scrolls>
  );
}

function Piece({ piece }: { readonly piece: Work }) {
  const { kind, state, firstFrame, frameCount, attempt, node, startTime, endTime } = piece;
  return (
    <tr className={`piece ${state.toLowerCase()}`}>
      <td>{KINDS[kind] ?? kind}</td>
      <td>{frameCount > 0 ? `${firstFrame}–${firstFrame + frameCount - 1}` : ""}</td>
      <td>{STATES[state] ?? state}</td>
      <td>
        <bdi className="node">{node}</bdi>
      </td>
      <td className="number">{attempt}</td>
      <td className="number">
        {startTime !== undefined && <Took from={startTime} to={endTime} isRunning={state === "LEASED"} />}
      </td>
      <td>{startTime !== undefined && <time dateTime={startTime}>{exactly(startTime)}</time>}</td>
    </tr>
  );
}

function Took({ from, to, isRunning }: { from: string; to: string | undefined; isRunning: boolean }) {
  if (to !== undefined) return lasting((Date.parse(to) - Date.parse(from)) / 1000);
  return isRunning ? <SoFar from={from} /> : null;
}

function SoFar({ from }: { readonly from: string }) {
  return `${lasting((useNow() - Date.parse(from)) / 1000)} so far`;
}
