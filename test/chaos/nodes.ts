/** The nodes of an installation, as its controller knows them. */
import { Connection } from "../../src/client/connection.ts";
import { Node_State, NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { until } from "../waiting.ts";
import { insist } from "./insist.ts";

/**
 * Waits until the controller knows that every node has gone: one whose last word was lost is taken for gone
 * when its lease is over, which a controller that ends before does not see.
 */
export async function allOffline(grpc: string): Promise<void> {
  using connection = new Connection({ address: grpc });
  await until(async () => {
    const { answer } = await insist(() => connection.call(NodeService.method.listNodes, {}));
    return answer.nodes.every(({ state }) => state === Node_State.OFFLINE);
  }, "every node to be offline");
}
