/** The nodes that serve the tenant: state, utilization and current tasks. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf, type Schemas } from "../api/client.ts";
import { hasRole, useSession } from "../session/session.ts";
import { Confirmation } from "../ui/confirmation.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { NodeCard } from "./node-card.tsx";
import { loadOf } from "./node-load.ts";
import "../style/nodes.css";

/** Polling interval in milliseconds: there is no stream of nodes. */
const LOOK_EVERY_MS = 2_000;

type Node = Schemas["Node"];

export function NodesPage() {
  const { api, caller } = useSession();
  const nodes = useQuery({
    queryKey: ["nodes"],
    queryFn: () => bodyOf(api.GET("/v1/nodes")),
    refetchInterval: LOOK_EVERY_MS,
  });
  const [draining, setDraining] = useState<Node>();
  if (nodes.isPending) return <Loading what="nodes" />;
  if (nodes.data === undefined)
    return <Failed heading="h1" error={nodes.error} retry={() => void nodes.refetch()} />;
  const listed = nodes.data.nodes;
  return (
    <>
      <h1>Nodes</h1>
      {nodes.isError && (
        <p className="connection-banner" role="alert">
          Data may be out of date: {nodes.error.message}
        </p>
      )}
      {listed.length === 0 ? <NoNodes /> : <Summary nodes={listed} />}
      <ul className="nodes">
        {listed.map((node) => (
          <NodeCard
            key={node.id}
            node={node}
            drain={hasRole(caller, "svc:admin") && node.tenantId === caller.tenant ? setDraining : undefined}
          />
        ))}
      </ul>
      {draining !== undefined && <DrainDialog node={draining} close={() => setDraining(undefined)} />}
    </>
  );
}

function NoNodes() {
  return (
    <Empty title="No nodes">
      <p>Jobs wait until a node is online. On each machine that should score, run:</p>
      <p>
        <code>svc node --controller HOST:PORT</code>
      </p>
    </Empty>
  );
}

function Summary({ nodes }: { readonly nodes: readonly Node[] }) {
  const { online, slots, busy } = loadOf(nodes);
  return (
    <p className="quiet">
      {online} of {nodes.length} online · {busy} of {slots} {slots === 1 ? "slot" : "slots"} busy
    </p>
  );
}

function DrainDialog({ node, close }: { readonly node: Node; readonly close: () => void }) {
  const { api } = useSession();
  const queries = useQueryClient();
  return (
    <Confirmation
      title="Drain this node?"
      no="Cancel"
      yes="Drain"
      act={() => bodyOf(api.POST("/v1/nodes/{id}:drain", { params: { path: { id: node.id } } }))}
      done={() => queries.invalidateQueries({ queryKey: ["nodes"] })}
      close={close}
    >
      <bdi>{node.name}</bdi> finishes its running tasks and accepts no new ones. To undo this, restart the
      node.
    </Confirmation>
  );
}
