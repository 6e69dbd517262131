/** The command `svc nodes list`. */

import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type Node, Node_State, NodeSchema, NodeService } from "../../gen/proto/svc/v1/node_pb.ts";
import { NODE_STATES } from "../../jobs/states.ts";
import { PeopleCommand } from "../command.ts";
import { ALL, pagesOf, printList } from "../connection/pages.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { ageText } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const GUIDE = `
Examples:
  $ svc nodes list
  $ svc nodes list --json | jq -r 'select(.state == "ONLINE") | .name'

${serverGuide()}`;

export function listCommand(): Command {
  const command = new PeopleCommand("svc nodes list")
    .summary("list the nodes that serve you")
    .description(
      "Lists the nodes that serve your tenant: id, state, busy and total slots, last heartbeat, scorers, name.",
    )
    .addOption(jsonOption("one node per line"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((flags: ServerFlags) =>
    withServer(flags, (connection, signal) => {
      const pages = pagesOf(async () => {
        return { things: await fetchNodes(connection, signal), nextPageToken: "" };
      }, ALL);
      return printList(pages, {
        json: flags.json,
        schema: NodeSchema,
        table: (nodes, terminal) => nodeTable(nodes, terminal, Date.now()),
        none: "No nodes. Start one with svc node --controller HOST:PORT, or use svc up.",
      });
    }),
  );
}

export async function fetchNodes(connection: Connection, signal: AbortSignal): Promise<readonly Node[]> {
  return (await connection.call(NodeService.method.listNodes, {}, { signal })).nodes;
}

/** Returns one line per node; `now` in milliseconds since 1970. */
export function nodeTable(nodes: readonly Node[], terminal: Terminal, now: number): string[] {
  const columns: readonly TableColumn<Node>[] = [
    { heading: "ID", text: ({ id }) => id, atLeast: 36 },
    { heading: "STATE", text: nodeState, atLeast: 0 },
    { heading: "BUSY", text: ({ work, slots }) => `${work.length}/${slots}`, atLeast: 0, align: "right" },
    { heading: "SEEN", text: (node) => seenText(node, now), atLeast: 0, align: "right", dispensable: 1 },
    { heading: "SCORER", text: scorersText, atLeast: 0, dispensable: 2 },
    { heading: "NAME", text: ({ name }) => name, atLeast: 0 },
  ];
  return tableLines(nodes, columns, terminal, { heading: true });
}

export function nodeState({ state }: Node): string {
  return NODE_STATES.find((name) => Node_State[name] === state) ?? `state ${state}`;
}

function seenText({ heartbeatTime }: Node, now: number): string {
  return heartbeatTime === undefined ? "-" : ageText(now - timestampMs(heartbeatTime));
}

/**
 * Returns the default scorer, then the others. Of others with the same program, only the libvmaf version is
 * given.
 */
function scorersText({ capabilities }: Node): string {
  const first = capabilities?.scorer;
  if (first === undefined) return "-";
  const more = (capabilities?.moreScorers ?? []).flatMap(({ scorer }) => scorer ?? []);
  const texts = [first, ...more].map(({ program, libvmafVersion }, index) =>
    index > 0 && program === first.program ? libvmafVersion : `${program}, libvmaf ${libvmafVersion}`,
  );
  return texts.join("; ");
}
