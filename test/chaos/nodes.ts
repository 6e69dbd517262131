/** The nodes of an installation, as its controller sees them. */
import { Connection } from "../../src/client/connection/connection.ts";
import { Node_State, NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { until } from "../waiting.ts";
import { insist } from "./insist.ts";

/**
 * Waits until every node is OFFLINE for the controller. A node whose sign-off was lost becomes OFFLINE after its
 * lease, which a controller that stops earlier does not see.
 */
export async function allOffline(grpc: string): Promise<void> {
  using connection = new Connection({ address: grpc });
  await until(async () => {
    const { answer } = await insist(() => connection.call(NodeService.method.listNodes, {}));
    return answer.nodes.every(({ state }) => state === Node_State.OFFLINE);
  }, "every node to be offline");
}
