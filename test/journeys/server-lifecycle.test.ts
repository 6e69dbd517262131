/** Start, configuration, readiness and stop of the server. */
import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { FFMPEG } from "../media/ffmpeg.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ask, score } from "../server/rest-client.ts";
import { ServerProcess, svc } from "../server/server-process.ts";

let clips: Clips;
before(async () => {
  clips = await makeClips();
});
after(async () => {
  await clips[Symbol.asyncDispose]();
});

/** Starts a long score; resolves when its scorer runs, with the pending response. */
async function startLong(server: ServerProcess) {
  const answer = score(server, clips.longPair).catch((error: unknown) => error);
  await server.scorerRuns();
  return { answer };
}

describe("the command line", () => {
  test("svc --help shows the commands, svc server --help every flag with its default and variable", async () => {
    const program = await svc(["--help"]);
    assert.equal(program.code, 0);
    assert.match(program.stdout, /score .*\n.*server .*\n.*node /s);
    const { code, stdout } = await svc(["server", "--help"]);
    assert.equal(code, 0);
    const text = stdout.replaceAll(/\s+/g, " ");
    for (const flag of [
      "vmaf-binary",
      "model-dir",
      "port",
      "grpc-port",
      "host",
      "media-root",
      "concurrency",
    ]) {
      const variable = `SVC_${flag.toUpperCase().replaceAll("-", "_")}`;
      assert.match(text, new RegExp(`--${flag} <\\w+> [^(]*\\(default: [^;]+; env: ${variable}\\)`), flag);
    }
    assert.match(stdout, /Examples:/);
    assert.equal((await svc(["help", "server"])).stdout, stdout);
  });

  const wrong: [name: string, args: string[], stderr: RegExp][] = [
    ["an unknown flag", ["server", "--prot", "1"], /unknown option '--prot'/],
    ["an unknown command", ["serve"], /unknown command 'serve'/],
    ["a word too many", ["server", "now"], /too many arguments/],
    [
      "a port out of range",
      ["server", "--port", "65536"],
      /--port: "65536" is not a whole number from 0 to 65535/,
    ],
    ["an invalid port", ["server", "--grpc-port", "http"], /--grpc-port: "http"/],
    ["a concurrency of 0", ["server", "--concurrency", "0"], /--concurrency: "0"/],
    ["an unknown level", ["server", "--log-level", "loud"], /--log-level: "loud" is not one of trace, debug/],
    [
      "a missing scorer",
      ["server", "--vmaf-binary", "/no/vmaf"],
      /--vmaf-binary: "\/no\/vmaf" does not exist/,
    ],
    [
      "a file as model directory",
      ["server", "--model-dir", import.meta.filename],
      /--model-dir: .* is not a directory/,
    ],
    ["a missing media root", ["server", "--media-root", "/no/media"], /--media-root: "\/no\/media" does not/],
    [
      "a missing configuration file",
      ["server", "--config", "/no/svc.yaml"],
      /\/no\/svc\.yaml cannot be read/,
    ],
  ];
  for (const [name, args, stderr] of wrong) {
    test(`${name}: exit code 2 and a clear sentence`, async () => {
      const ended = await svc(args);
      assert.match(ended.stderr, stderr);
      assert.doesNotMatch(ended.stderr, /^\s+at /m, "no stack");
      assert.equal(ended.code, 2);
      assert.equal(ended.stdout, "");
    });
  }

  test("names a wrong variable, and a wrong line of the file", async () => {
    const variable = await svc(["server"], { SVC_PORT: "tcp://10.0.0.1:80" });
    assert.match(variable.stderr, /SVC_PORT: "tcp:\/\/10\.0\.0\.1:80" is not a whole number/);
    assert.equal(variable.code, 2);
    const file = clips.directory.file("wrong.yaml");
    await writeFile(file, "prot: 1\n");
    const misspelt = await svc(["server", "--config", file]);
    assert.match(misspelt.stderr, /prot in .*wrong\.yaml is not a setting\. The settings are: vmaf-binary/);
    assert.equal(misspelt.code, 2);
  });

  test("a port in use: exit code 1, and which flag to change", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = String(typeof address === "object" && address !== null ? address.port : 0);
    for (const [flag, other] of [["--port", "--grpc-port"] as const, ["--grpc-port", "--port"] as const]) {
      const { code, stderr } = await svc(["server", flag, port, other, "0", "--log-level", "fatal"]);
      assert.match(
        stderr,
        new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: another program.* with ${flag} `),
      );
      assert.equal(code, 1);
    }
    await new Promise((resolve) => taken.close(resolve));
  });
});

test("a flag overrides a variable, which overrides the file, which overrides the default", async () => {
  const file = clips.directory.file("svc.yaml");
  await writeFile(file, `concurrency: 7\nscore-timeout: 60\nmedia-root:\n  - ${clips.directory.path}\n`);
  const limit = async (args: string[], env: Record<string, string>) => {
    await using server = await ServerProcess.start({ args, env, ready: false });
    const text = await (await fetch(`${server.rest}/metrics`)).text();
    return Number(/^svc_scores_limit (\d+)$/m.exec(text)?.[1]);
  };
  assert.equal(await limit(["--config", file, "--concurrency", "5"], { SVC_CONCURRENCY: "6" }), 5);
  assert.equal(await limit(["--config", file], { SVC_CONCURRENCY: "6" }), 6);
  assert.equal(await limit([], { SVC_CONFIG: file, SVC_CONCURRENCY: "" }), 7);
  assert.ok((await limit([], {})) >= 2);
});

test("warns about a host that isn't loopback", async () => {
  await using open = await ServerProcess.start({ args: ["--host", "0.0.0.0"], ready: false });
  await open.logged("no authentication: anyone who can reach this address can score", { level: "warn" });
  await using closed = await ServerProcess.start({ args: ["--host", "::1"] });
  assert.equal((await ask(closed, "/healthz")).status, 200);
  await closed.stop();
  assert.notDeepEqual(closed.log, []);
  // The time to stop doesn't matter here.
  const untimely = "shutdown phase timed out";
  assert.deepEqual(
    closed.log.filter(({ level, msg }) => level !== "info" && msg !== untimely),
    [],
  );
});

describe("readiness", () => {
  test("with an unusable scorer it is alive, not ready with the reason, and ready once the scorer works", async () => {
    const binary = clips.directory.file("late-scorer");
    await writeFile(binary, "#!/bin/sh\nexit 1\n");
    await chmod(binary, 0o755);
    await using server = await ServerProcess.start({ args: ["--vmaf-binary", binary], ready: false });
    await server.logged("scorer not ready");
    assert.equal((await ask(server, "/v1/health")).status, 200);
    for (const { status, headers, body } of [await ask(server, "/readyz"), await score(server, clips.pair)]) {
      assert.equal(status, 503);
      assert.equal(body.code, "SCORER_NOT_READY");
      assert.match(body.detail, /late-scorer/);
      assert.ok(Number(headers.get("retry-after")) >= 1);
    }
    await writeFile(binary, `#!/bin/sh\nexec '${FFMPEG}' "$@"\n`);
    await server.logged("scorer ready");
    assert.equal((await ask(server, "/readyz")).status, 200);
  });
});

describe("SIGTERM", () => {
  test("an idle server exits 0", async () => {
    const server = await ServerProcess.start();
    assert.equal(await server.stop(), 0);
    await server.logged("stopped");
  });

  test("becomes not ready immediately, refuses new scores, answers the running one, then exits 0", async () => {
    await using server = await ServerProcess.start({
      args: ["--drain-timeout", "300", "--score-timeout", "30", "--threads", "1"],
    });
    const { answer } = await startLong(server);
    server.signal("SIGTERM");
    await server.logged("stopping");
    assert.equal((await ask(server, "/healthz")).status, 200);
    for (const { status, body } of [await ask(server, "/v1/ready"), await score(server, clips.pair)]) {
      assert.equal(status, 503);
      assert.equal(body.code, "SHUTTING_DOWN");
    }
    const ended = await answer;
    assert.ok(
      typeof ended === "object" && ended !== null && "status" in ended,
      "the running score is answered",
    );
    assert.equal(ended.status, 504, "it ran until its own timeout");
    assert.equal(await server.exited(), 0);
  });

  test("after --drain-timeout the running score is stopped, and its client gets an error", async () => {
    await using server = await ServerProcess.start({ args: ["--drain-timeout", "0"] });
    const { answer } = await startLong(server);
    server.signal("SIGTERM");
    const ended = await answer;
    assert.ok(typeof ended === "object" && ended !== null && "body" in ended, String(ended));
    assert.equal((ended.body as { code: string }).code, "SHUTTING_DOWN");
    assert.equal(await server.exited(), 0);
  });

  test("a second signal ends it immediately, with its scorers", async () => {
    await using server = await ServerProcess.start();
    const { answer } = await startLong(server);
    const scorers = await server.children();
    server.signal("SIGINT");
    await server.logged("stopping");
    server.signal("SIGINT");
    assert.equal(await server.exited(), 130);
    await answer;
    assert.ok(scorers.length > 0);
    assert.deepEqual(await clips.directory.leftovers(), []);
  });
});

test("resident memory stays under 150 MB while a score runs", async () => {
  await using server = await ServerProcess.start();
  await score(server, { ...clips.pair, frames: true });
  await startLong(server);
  const bytes = await server.residentBytes();
  assert.ok(bytes < 150e6, `${(bytes / 1e6).toFixed(1)} MB`);
});
