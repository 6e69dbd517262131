/** The program `svc node`: its command line, probes, metrics, signals and exit codes. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { SvcProcess, svc } from "../server/svc-process.ts";
import { until } from "../waiting.ts";
import { NodeFixture, planWork, segmentWork } from "../worker/fixture.ts";
import { Peer } from "../worker/peer.ts";

let fixture: NodeFixture;

before(async () => {
  fixture = await NodeFixture.open();
});
after(() => fixture.close());

/** Flags of a node whose scorer runs for minutes. */
const slow = () => ["--vmaf-binary", fixture.slow];

class NodeProcess extends SvcProcess {
  /** "http://127.0.0.1:PORT" */
  metrics = "";

  static async start(controller: string, args: readonly string[] = []): Promise<NodeProcess> {
    const node = new NodeProcess("node", {
      args: ["--controller", controller, "--metrics-port", "0", ...args],
    });
    node.metrics = (await node.addresses())["metrics"] ?? "";
    return node;
  }

  async status(path: string): Promise<number> {
    const answer = await fetch(this.metrics + path);
    await answer.arrayBuffer();
    return answer.status;
  }

  /** Waits until the ready probe returns this status. */
  ready(status: number): Promise<void> {
    return until(async () => (await this.status("/v1/ready")) === status, `${status} of the ready probe`);
  }
}

describe("the command line", () => {
  test("svc node --help lists every flag with its default and variable", async () => {
    const { code, stdout } = await svc(["node", "--help"]);
    assert.equal(code, 0);
    const text = stdout.replaceAll(/\s+/g, " ");
    for (const flag of [
      ...["controller", "token-file", "slots", "threads", "name", "vmaf-binary", "model-dir", "media-root"],
      ...["score-timeout", "drain-timeout", "host", "metrics-port", "log-level", "log-format", "config"],
      ...["oidc-token-url", "oidc-client-id", "oidc-client-secret-file", "oidc-scope", "oidc-audience"],
      "print-addresses",
    ]) {
      const variable = `SVC_${flag.toUpperCase().replaceAll("-", "_")}`;
      assert.match(text, new RegExp(`--${flag}[ <].*?\\(default: .*?; env: ${variable}\\)`), flag);
    }
  });

  const wrong = [
    ["--controller", "nowhere"],
    ["--controller", "host:0"],
    ["--controller", "http://host:9090"],
    ["--slots", "0"],
    ["--name", "a\nb"],
    ["--name", "x".repeat(201)],
    ["--media-root", "/no/such/directory"],
  ] as const;
  for (const [flag, value] of wrong) {
    test(`refuses ${flag} ${JSON.stringify(value.slice(0, 20))}`, async () => {
      const { code, stderr } = await svc(["node", flag, value]);
      assert.equal(code, 2);
      assert.ok(stderr.startsWith(`svc node: ${flag}: `), stderr);
    });
  }

  test("a port in use ends the start, and the error names the flag", async () => {
    await using peer = await Peer.open();
    const { code, stderr } = await svc(["node", "--metrics-port", String(peer.port)]);
    assert.equal(code, 1);
    assert.match(stderr, /--metrics-port/);
  });
});

test("waits for a controller that is not up yet, and its probes report that", async () => {
  await using peer = await Peer.open();
  peer.cut();
  await using node = await NodeProcess.start(peer.address);
  await node.logged("failed to register; retrying", { code: "SERVER_UNREACHABLE" });
  assert.equal(await node.status("/v1/health"), 200);
  assert.equal(await node.status("/healthz"), 200);
  const answer = await fetch(`${node.metrics}/readyz`);
  assert.equal(answer.status, 503);
  assert.equal(((await answer.json()) as { code: string }).code, "SERVER_UNREACHABLE");
  await peer.listen();
  await node.ready(200);
  peer.cut();
  await node.ready(503);
  await peer.listen();
  await node.ready(200);
  assert.equal(await node.stop(), 0);
});

test("runs tasks, exposes its metrics, and signs off when stopped", async () => {
  await using peer = await Peer.open();
  await using node = await NodeProcess.start(peer.address, ["--name", "worker-7", "--slots", "2"]);
  const report = await peer.reported(peer.offer(planWork(fixture.film)));
  assert.equal(report.case, "plan");
  assert.equal(peer.registrations[0]?.name, "worker-7");
  await node.logged("task finished", { kind: "PLAN" });
  let text = "";
  await until(async () => {
    text = await (await fetch(`${node.metrics}/metrics`)).text();
    // A peer process that was frozen was lost for a moment.
    return /^svc_node_connected 1$/m.test(text);
  }, "the node to be connected");
  assert.match(text, /^svc_node_slots 2$/m);
  assert.match(text, /^svc_node_items_total\{kind="PLAN",outcome="done"\} 1$/m);
  assert.equal(await node.status("/nowhere"), 404);
  const posted = await fetch(`${node.metrics}/metrics`, { method: "POST", body: "x" });
  assert.equal(posted.status, 405);
  assert.equal(posted.headers.get("allow"), "GET, HEAD");
  const document = await readFile(new URL("../../docs/metrics.md", import.meta.url), "utf8");
  const listed = [...document.matchAll(/^\| `(svc_node_\w+)` \|/gm)].map(([, name]) => name);
  const exposed = [...text.matchAll(/^# TYPE (svc_\w+) /gm)].map(([, name]) => name);
  assert.deepEqual(new Set(listed), new Set(exposed), "docs/metrics.md lists every metric, and no other");
  assert.equal(await node.stop(), 0);
  // It has little time to sign off; if this process was frozen meanwhile, another node is tried.
  for (let last = node, tries = 4; peer.heartbeats.at(-1)?.leaving !== true; tries--) {
    assert.ok(tries > 0, "no node signs off");
    await last.logged("failed to sign off from the controller; the session will expire");
    last = await NodeProcess.start(peer.address);
    await last.ready(200);
    assert.equal(await last.stop(), 0);
  }
});

test("SIGTERM hands back tasks that are not done within --drain-timeout", async () => {
  await using peer = await Peer.open();
  await using node = await NodeProcess.start(peer.address, ["--drain-timeout", "0", ...slow()]);
  const plan = await fixture.plan(peer, fixture.long);
  const item = peer.offer(segmentWork(fixture.long, plan));
  await peer.running(item, 1);
  assert.equal(await node.stop(), 0);
  assert.equal((await peer.reported(item)).case, "handBack");
  assert.deepEqual(await fixture.media.leftovers(), []);
});

test("a second signal ends it at once, including its scorers", async () => {
  await using peer = await Peer.open();
  await using node = await NodeProcess.start(peer.address, slow());
  const plan = await fixture.plan(peer, fixture.long);
  await peer.running(peer.offer(segmentWork(fixture.long, plan)), 1);
  node.signal("SIGINT");
  await node.logged("stopping");
  node.signal("SIGINT");
  assert.equal(await node.exited(), 130);
  assert.deepEqual(await fixture.media.leftovers(), []);
});

test("leaves no scorer when killed", async () => {
  await using peer = await Peer.open();
  await using node = await NodeProcess.start(peer.address, slow());
  const plan = await fixture.plan(peer, fixture.long);
  await peer.running(peer.offer(segmentWork(fixture.long, plan)), 1);
  node.signal("SIGKILL");
  assert.equal(await node.exited(), "SIGKILL");
  await fixture.scorerGone();
  assert.deepEqual(await fixture.media.leftovers(), []);
});

test("exits with an error when another node takes its name", async () => {
  await using peer = await Peer.open();
  await using node = await NodeProcess.start(peer.address);
  await peer.until(() => peer.heartbeats.length > 0, "a heartbeat");
  peer.endSession("NODE_SUPERSEDED");
  await node.logged("another node registered with this name; stopping", { code: "NODE_SUPERSEDED" });
  assert.equal(await node.exited(), 1);
});

test("reads the token file again, also after it was missing", async () => {
  await using peer = await Peer.open();
  const file = fixture.media.file("token");
  await using node = await NodeProcess.start(peer.address, ["--token-file", file]);
  await node.logged("failed to register; retrying", { code: "SERVER_UNREACHABLE" });
  assert.equal(peer.calls.length, 0);
  await writeFile(file, "first.token\n");
  await peer.until(() => peer.tokens.has("Bearer first.token"), "the first token");
  await writeFile(file, "second.token\n");
  await peer.reported(peer.offer(planWork(fixture.film)));
  await peer.until(() => peer.tokens.has("Bearer second.token"), "the second token");
  assert.equal(await node.stop(), 0);
});
