/** svc jobs watch and --wait: bars on a terminal, lines elsewhere, restarts and interruptions. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { Up } from "../cli/up.ts";
import { type Clips, makeClips } from "../server/clips.ts";

const BAR = /[█░]+\S*\s+\d+ % +\d+\/2000 frames +\d+\.\d fps +[\d:]+ left/;
let clips: Clips;
let up: Up;
let pair: string[];
let long: string[];
before(async () => {
  clips = await makeClips();
  pair = [clips.pair.reference, clips.pair.distorted];
  const { reference, distorted, rawVideo } = clips.longPair;
  long = [reference, distorted, "--size", `${rawVideo.width}x${rawVideo.height}`, "--frame-rate", "25"];
  up = await Up.start();
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

const opened: string[] = [];
afterEach(async () => {
  if (opened.length > 0) await up.svc(["jobs", "cancel", ...opened.splice(0)]);
  await up.process.scorerGone();
});

async function submitted(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await up.svc(["jobs", "submit", ...args]);
  assert.equal(code, 0, stderr);
  opened.push(stdout.trimEnd());
  return stdout.trimEnd();
}

interface Event {
  readonly kind: string;
  readonly eventId: string;
  readonly job?: { readonly id: string; readonly state: string; readonly revision: number };
}

describe("on a terminal", () => {
  test("shows a bar per running job and a line per ended job; Ctrl-C doesn't affect the jobs", async () => {
    await using watching = up.onTerminal(["jobs", "watch"], 110);
    const id = await submitted([...long, "--name", "the film"]);
    await watching.printed(new RegExp(`the film +.*${BAR.source}`));
    const waiting = await submitted([...pair, "--name", "behind it"]);
    await watching.printed(new RegExp(`the film +.*${BAR.source}\\r\\nand 1 queued`));
    await up.svc(["jobs", "cancel", id]);
    await watching.printed(new RegExp(`CANCELLED {2}${id} {2}the film`));
    await watching.printed(new RegExp(`SUCCEEDED {2}${waiting} {2}behind it {2}VMAF \\d+\\.\\d{6}`));
    watching.child.stdin?.write("\x03");
    const { code } = await watching.ended();
    assert.equal(code, 130);
  });

  test("--wait shows a progress line; Ctrl-C ends the wait, not the job", async () => {
    await using waiting = up.onTerminal(["jobs", "submit", ...long, "--wait"], 110);
    await waiting.printed(BAR);
    const id = /Job (\S+)\r\n/.exec(waiting.stdout)?.[1] ?? "";
    opened.push(id);
    waiting.child.stdin?.write("\x03");
    const { code, stdout } = await waiting.ended();
    assert.equal(code, 130);
    assert.match(stdout, /Stopped\. The jobs continue: /);
    assert.equal(JSON.parse((await up.svc(["jobs", "get", id, "--json"])).stdout).state, "RUNNING");
  });
});

test("without a terminal, prints lines in the order of events", async () => {
  const id = await submitted(pair);
  const { code, stdout, stderr } = await up.svc(["jobs", "watch", id]);
  assert.equal(code, 0, stderr);
  const states = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "");
  assert.deepEqual(
    states.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)),
    states,
  );
  assert.match(stdout, new RegExp(`^SUCCEEDED {2}${id} .*VMAF \\d+\\.\\d{6}\\n`, "m"));
  assert.ok(!(stdout + stderr).includes("\x1b"));
});
const ORDER = ["QUEUED", "RUNNING", "SUCCEEDED"];

test("continues after the server is killed and restarted: every change once, and the end", async () => {
  const id = await submitted(long);
  await using watching = up.start(["jobs", "watch", id, "--json"]);
  await using lines = up.start(["jobs", "watch", id]);
  await watching.printed(/"state":"RUNNING"/);
  await lines.printed(new RegExp(`^RUNNING +${id}`, "m"));
  await up.process.scorerRuns();
  await up.restart(() => lines.printed(/cannot be reached, or the connection was lost .* Reconnecting …/));
  await lines.printed(/Reconnected\./);
  await up.process.scorerRuns();
  assert.equal((await up.svc(["jobs", "cancel", id])).code, 0);
  const [events, reported] = [await watching.ended(), await lines.ended()];
  assert.deepEqual([events.code, reported.code], [3, 3]);
  assert.match(reported.stdout, new RegExp(`CANCELLED {2}${id} .*\\n$`));
  const changes = events.stdout
    .trimEnd()
    .split("\n")
    .map((line): Event => JSON.parse(line));
  assert.equal(changes.filter(({ kind }) => kind === "SNAPSHOT_END").length, 1, "the stream was resumed");
  const revisions = changes.flatMap(({ job }) => (job ? [job.revision] : []));
  assert.deepEqual(
    [...new Set(revisions)].toSorted((a, b) => a - b),
    revisions,
    "in order, without repeats",
  );
  assert.equal(changes.at(-1)?.job?.state, "CANCELLED");
});

test("ends without an error when its reader goes away", async () => {
  const id = await submitted(long);
  const commands = [
    '"$@" jobs list',
    '"$@" jobs list --json',
    '"$@" jobs frames ID',
    '"$@" jobs watch ID --json',
  ];
  for (const command of commands) {
    await using piped = up.shell(`{ ${command.replace("ID", id)}; echo "code $?" >&2; } | head -n 1`);
    const { stderr } = await piped.ended();
    assert.equal(stderr, "code 0\n", command);
  }
});
