/** What a job waits for that no node has begun. */
import { useQuery } from "@tanstack/react-query";
import { bodyOf, type Job, type Schemas } from "../api/client.ts";
import { modelsOf } from "../jobs/job-facts.ts";
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
    <section className="card job-waiting" role="status" aria-label="What it waits for">
      <h2>Waiting</h2>
      <p>
        {nodes.data === undefined ? "It waits for a node." : reasonOf(nodes.data.nodes, modelsOf(job.spec))}
      </p>
    </section>
  );
}

/** In one or two sentences. */
function reasonOf(nodes: readonly Node[], models: readonly string[]): string {
  const online = nodes.filter(({ state }) => state === "ONLINE");
  if (online.length === 0)
    return "No node is online. The job is kept, and begins when one is: start one with svc node.";
  const able = online.filter(({ capabilities }) =>
    models.every((model) => capabilities.models.some(({ name }) => name === model)),
  );
  if (able.length === 0)
    return `None of the ${online.length} nodes that are online has every model that it needs (${models.join(", ")}).`;
  const slots = able.reduce((sum, { slots }) => sum + slots, 0);
  const busy = able.reduce((sum, { work }) => sum + work.length, 0);
  return busy >= slots
    ? `All ${slots} slots of the nodes that can score it are at work. Jobs of a higher priority and earlier ones go first.`
    : "A node takes it when it is its turn. Of the fleet's nodes only your own work is told.";
}
