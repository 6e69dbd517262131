/** Why a queued job has not started. */

import { useQuery } from "@tanstack/react-query";
import { requestedModels } from "../../../src/jobs/default-models.ts";
import { canPlan } from "../../../src/jobs/work.ts";
import { bodyOf, type Job, type Schemas } from "../api/client.ts";
import { useSession } from "../session/session.ts";

type Node = Schemas["Node"];

const ASKED_AGAIN_MS = 3_000;

export function Waiting({ job }: { readonly job: Job }) {
  const { api } = useSession();
  const nodes = useQuery({
    queryKey: ["nodes"],
    queryFn: ({ signal }) => bodyOf(api.GET("/v1/nodes", { signal })),
    refetchInterval: ASKED_AGAIN_MS,
  });
  return (
    <section className="card job-waiting" role="status" aria-label="Why it is waiting">
      <h2>Waiting</h2>
      <p>{nodes.data === undefined ? "Waiting for a node." : reasonOf(nodes.data.nodes, job.spec)}</p>
    </section>
  );
}

function reasonOf(nodes: readonly Node[], spec: Job["spec"]): string {
  const models = requestedModels(spec);
  const need = { models, scorerVersion: spec.scorerVersion || undefined };
  const online = nodes.filter(({ state }) => state === "ONLINE");
  if (online.length === 0) return "No node is online. The job starts when one is; run svc node to add one.";
  const able = online.filter(({ capabilities }) => canPlan(capabilities, need));
  if (able.length === 0)
    return `None of the ${online.length} online nodes has ${need.scorerVersion === undefined ? "" : `a scorer of version ${need.scorerVersion} with `}all the models that the job needs (${models.join(", ")}).`;
  const slots = able.reduce((sum, { slots }) => sum + slots, 0);
  const busy = able.reduce((sum, { work }) => sum + work.length, 0);
  return busy >= slots
    ? `All ${slots} slots of suitable nodes are busy. Jobs with a higher priority and earlier jobs run first.`
    : "The job is in the queue. On shared nodes, only your own tenant's tasks are counted here.";
}
