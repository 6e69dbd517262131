/** The command `svc nodes drain ID|NAME`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type Node, Node_State, NodeSchema, NodeService } from "../../gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import {
  addServerOptions,
  jsonOption,
  required,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { printable, quoteName } from "../terminal/escape.ts";
import { fetchNodes, nodeState } from "./list.ts";

const GUIDE = `
Examples:
  $ svc nodes drain encoder-7
  $ svc nodes drain 3d1f0a52-7c7e-4b53-b0a6-1c3e5f7d9b11

${serverGuide({
  0: "the node takes no new tasks, and finishes its current ones",
  2: "the node does not exist, or several nodes have that name",
})}`;

export function drainCommand(): Command {
  const command = new PeopleCommand("svc nodes drain")
    .summary("let a node finish its tasks and take no new ones")
    .description(
      "Drains a node: it finishes its tasks and takes no new ones. Then it can be stopped without losing work.",
    )
    .argument("<node>", "the node's id or name")
    .addOption(jsonOption("the node"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((idOrName: string, flags: ServerFlags) =>
    withServer(flags, (connection, signal) => drain(connection, idOrName, flags, signal)),
  );
}

async function drain(
  connection: Connection,
  idOrName: string,
  { json }: ServerFlags,
  signal: AbortSignal,
): Promise<number> {
  const { id } = nodeNamed(await fetchNodes(connection, signal), idOrName);
  const drained = await connection.call(NodeService.method.drainNode, { id }, { signal });
  const node = required(drained.node, `node ${id}`);
  const line = `${nodeState(node).padEnd(9)} ${printable(node.id)}  ${printable(node.name)}\n`;
  await writeAll(process.stdout, [json ? messageJson(NodeSchema, node, 2) : line]);
  return EXIT.scored;
}

/**
 * Finds a node by id, else by name. A node that is not offline wins over an offline one of the same name. Throws
 * Failure.
 */
export function nodeNamed(nodes: readonly Node[], idOrName: string): Node {
  const byId = nodes.find(({ id }) => id === idOrName);
  const named = nodes.filter(({ name }) => name === idOrName);
  const living = named.filter(({ state }) => state !== Node_State.OFFLINE);
  const [node, ...others] = byId ? [byId] : living.length > 0 ? living : named;
  if (node === undefined) throw new Failure("NODE_NOT_FOUND", `There is no node ${quoteName(idOrName)}.`);
  if (others.length > 0) {
    const ids = [node, ...others].map(({ id }) => printable(id)).join(", ");
    throw new Failure(
      "INVALID_REQUEST",
      `Several nodes are named ${quoteName(idOrName)}. Give the id of one: ${ids}.`,
    );
  }
  return node;
}
