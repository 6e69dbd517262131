/** The card of one node. */
import { Fragment } from "react";
import { Link } from "react-router";
import { scorerText } from "../../../src/jobs/scored-apart.ts";
import type { Schemas } from "../api/client.ts";
import { Age } from "../ui/age.tsx";
import { taskText } from "./task-text.ts";

type Node = Schemas["Node"];

const STATES: Readonly<Record<Node["state"], string>> = {
  ONLINE: "Online",
  DRAINING: "Draining",
  OFFLINE: "Offline",
};

interface NodeCardProps {
  readonly node: Node;
  /** undefined if the caller lacks the role. */
  readonly drain: ((node: Node) => void) | undefined;
}

export function NodeCard({ node, drain }: NodeCardProps) {
  const { name, state, slots, work, capabilities, heartbeatTime, registerTime } = node;
  return (
    <li className="card node">
      <header>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <span className={`node-state ${state.toLowerCase()}`}>{STATES[state]}</span>
        {drain !== undefined && state === "ONLINE" && (
          <button type="button" onClick={() => drain(node)} aria-label={`Drain ${name}`}>
            Drain
          </button>
        )}
      </header>
      <Slots busy={work.length} slots={slots} />
      <dl>
        <dt>svc</dt>
        <dd>{capabilities.version}</dd>
        <dt>Scorer</dt>
        <dd>{scorerText(capabilities.scorer)}</dd>
        <dt>Models</dt>
        <dd>{modelsText(capabilities.models)}</dd>
        {capabilities.moreScorers?.map(({ scorer, models }) => (
          <Fragment key={scorerText(scorer)}>
            <dt>Further scorer</dt>
            <dd>
              {scorerText(scorer)} <span className="quiet">with {modelsText(models)}</span>
            </dd>
          </Fragment>
        ))}
        <dt>Last seen</dt>
        <dd>
          <Age time={heartbeatTime} /> ago, registered <Age time={registerTime} /> ago
        </dd>
      </dl>
      <Work work={work} />
    </li>
  );
}

function modelsText(models: readonly { readonly name: string }[]): string {
  return models.map(({ name }) => name).join(", ") || "none";
}

function Slots({ busy, slots }: { readonly busy: number; readonly slots: number }) {
  return (
    <p className="slots">
      <meter min={0} max={slots} value={Math.min(busy, slots)} aria-label="Busy slots" />
      <span>
        {busy} of {slots} {slots === 1 ? "slot" : "slots"} busy
      </span>
    </p>
  );
}

function Work({ work }: { readonly work: Node["work"] }) {
  if (work.length === 0) return <p className="quiet">Idle.</p>;
  return (
    <ul className="work">
      {work.map(({ jobId, work: task, framesDone }) => (
        <li key={`${jobId} ${task.kind} ${task.firstFrame} ${task.startTime ?? ""}`}>
          {jobId === "" ? (
            <span className="quiet">task of another tenant</span>
          ) : (
            <>
              <Link to={`/jobs/${jobId}`} className="mono">
                {jobId.slice(0, 8)}
              </Link>{" "}
              {taskText(task, framesDone)}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
