import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { nodeNamed } from "../../src/cli/nodes/drain.ts";
import { nodeTable } from "../../src/cli/nodes/list.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { type Node, Node_State, NodeSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { HOSTILE, ID, NOW } from "./jobs.ts";

const TERMINAL: Terminal = { columns: 110, color: false, unicode: true, live: false };
const node = (init: Exclude<MessageInitShape<typeof NodeSchema>, Node>) =>
  create(NodeSchema, {
    id: ID,
    name: "encoder-7",
    state: Node_State.ONLINE,
    slots: 2,
    capabilities: { scorer: { program: "ffmpeg", version: "7.0", libvmafVersion: "3.0.0" } },
    heartbeatTime: timestampFromMs(NOW - 2_000),
    ...init,
  });

test("prints one line per node: state, busy and total slots, last heartbeat, scorer, name", () => {
  assert.deepEqual(
    nodeTable([node({ work: [{}] }), node({ name: HOSTILE, capabilities: {} })], TERMINAL, NOW),
    [
      "ID                                    STATE   BUSY  SEEN  SCORER                 NAME",
      `${ID}  ONLINE   1/2    2s  ffmpeg, libvmaf 3.0.0  encoder-7`,
      `${ID}  ONLINE   0/2    2s  -                      \\u{1b}[2J\\u{202e}name\\u{7}\\n…`,
    ],
  );
});

test("lists further scorers of a node after its default one", () => {
  const scorer = { program: "ffmpeg", version: "n9.0.2", libvmafVersion: "86da14d" };
  const capabilities = {
    scorer: { program: "ffmpeg", version: "7.0", libvmafVersion: "3.0.0" },
    moreScorers: [{ scorer }],
  };
  const [, line] = nodeTable([node({ capabilities })], TERMINAL, NOW);
  assert.ok(line?.includes("ffmpeg, libvmaf 3.0.0; 86da14d  encoder-7"), line);
});

test("finds a node by id, or by name, where a node that is not offline wins", () => {
  const nodes = [
    node({ id: "1", name: "a", state: Node_State.OFFLINE }),
    node({ id: "2", name: "a" }),
    node({ id: "a", name: "b" }),
    node({ id: "4", name: "c" }),
    node({ id: "5", name: "c", state: Node_State.DRAINING }),
    node({ id: "6", name: "d", state: Node_State.OFFLINE }),
  ];
  assert.equal(nodeNamed(nodes, "b").id, "a");
  assert.equal(nodeNamed(nodes, "a").id, "a", "an id wins over a name");
  assert.equal(nodeNamed(nodes.slice(0, 2), "a").id, "2");
  assert.equal(nodeNamed(nodes, "d").id, "6");
  assert.throws(() => nodeNamed(nodes, "c"), /Several nodes .*: 4, 5/);
  assert.throws(() => nodeNamed(nodes, "e"), { code: "NODE_NOT_FOUND" });
});
