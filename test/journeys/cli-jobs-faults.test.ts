/** svc jobs and svc nodes with no server, a wrong server, bad tokens and wrong command lines. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Up } from "../cli/up.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ServerProcess } from "../server/server-process.ts";
import { svc } from "../server/svc-process.ts";

let directory: MediaDirectory;
before(async () => {
  directory = await MediaDirectory.open();
});
after(() => directory.remove());

function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}

const EVERY_COMMAND = [
  ["jobs", "submit", "/nowhere/a.mov", "/nowhere/a.mp4"],
  ["jobs", "list"],
  ["jobs", "get", "id"],
  ["jobs", "watch"],
  ["jobs", "watch", "id"],
  ["jobs", "cancel", "id"],
  ["jobs", "frames", "id"],
  ["nodes", "list"],
  ["nodes", "drain", "id"],
  ["tenants", "show"],
  ["tenants", "revoke", "--subject", "alice"],
  ["tenants", "revocations"],
  ["tenants", "unrevoke", "id"],
];

describe("the server", () => {
  test("if it isn't running, every command says so and what to do", async () => {
    // Nothing listens on port 1.
    for (const args of EVERY_COMMAND) {
      const { code, stdout, stderr } = await svc([...args, "--server", "127.0.0.1:1"]);
      assert.deepEqual([code, stdout], [3, ""], args.join(" "));
      assert.match(
        unwrapped(stderr),
        /127\.0\.0\.1:1 cannot be reached.*\[SERVER_UNREACHABLE\] Start one with svc up/,
      );
    }
    const json = await svc(["jobs", "list", "--json"], { SVC_SERVER: "127.0.0.1:1" });
    assert.equal(JSON.parse(json.stdout).code, "SERVER_UNREACHABLE");
  });

  test("if it speaks HTTP/1.1, the error says so: the REST port and the metrics port", async () => {
    await using up = await Up.start();
    for (const address of [up.rest, up.metrics].map((url) => new URL(url).host)) {
      for (const args of [
        ["jobs", "list"],
        ["jobs", "watch"],
        ["nodes", "list"],
      ]) {
        const { code, stderr } = await svc([...args, "--server", address]);
        assert.equal(code, 3);
        assert.match(
          unwrapped(stderr),
          /speaks HTTP\/1\.1, not gRPC: it is a REST or metrics port.* 9090 by default\. Give it with --server HOST:PORT\. \[SERVER_UNREACHABLE\]/,
        );
        assert.doesNotMatch(unwrapped(stderr), /Start one/);
      }
    }
  });

  test("if it isn't an HTTP server, the error doesn't say so", async () => {
    const other = createServer((socket) => socket.on("error", () => {}).end("SSH-2.0-other\r\n"));
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { stderr } = await svc([
      "jobs",
      "list",
      "--server",
      `127.0.0.1:${(other.address() as AddressInfo).port}`,
    ]);
    other.close();
    assert.match(unwrapped(stderr), /cannot be reached.*\[SERVER_UNREACHABLE\]/);
    assert.doesNotMatch(stderr, /HTTP\/1/);
  });

  test("if it has no jobs, the error isn't an internal error", async () => {
    await using server = await ServerProcess.start({ ready: false });
    for (const args of EVERY_COMMAND) {
      const { code, stderr } = await svc([...args, "--server", server.grpc]);
      assert.equal(code, 3);
      assert.match(unwrapped(stderr), /does not support this call: it is not an svc controller/);
      assert.doesNotMatch(stderr, /report this/);
    }
  });
});

test("warns about files that another machine may see, with their lines, and submits the jobs", async () => {
  const missing = Array.from({ length: 7 }, (_, n) => directory.file(`missing-${n}.mp4`));
  const list = directory.file("missing.csv");
  await writeFile(list, `reference,distorted\n${missing.map((path) => `/nowhere/r.mov,${path}\n`).join("")}`);
  // Not a loopback address, and nothing listens there.
  const remote = ["--server", "0.0.0.0:1"];
  const warned = await svc(["jobs", "submit", "--from", list, ...remote]);
  assert.equal(warned.code, 3);
  assert.match(
    warned.stderr,
    /^Warning: not found on this machine; .*--remote-files.*\n( {2}line [2-6]: the distorted file ".*"\n){5} {2}and 2 more\nerror: /,
  );
  const pair = ["jobs", "submit", ...missing.slice(0, 2), ...remote];
  assert.match(
    (await svc(pair)).stderr,
    /^Warning: .*\n {2}the reference file ".*missing-0\.mp4"\n {2}the distorted file/,
  );
  assert.match((await svc([...pair, "--remote-files"])).stderr, /^error: /);
  assert.match((await svc(pair, { SVC_REMOTE_FILES: "true" })).stderr, /^error: /);
});

test("does not send an invalid token", async () => {
  const file = join(directory.path, "token");
  await writeFile(file, "two words\n");
  for (const [args, env, shown] of [
    [["--token-file", file], {}, /token file .* contains characters that are invalid in a bearer token/],
    [
      ["--token-file", `${file}-none`],
      {},
      /--token-file: ".*-none" cannot be read: no such file or directory\./,
    ],
    [[], { SVC_TOKEN_FILE: file }, /contains characters that are invalid in a bearer token/],
    [[], { SVC_TOKEN: "a\nb" }, /The variable SVC_TOKEN contains characters/],
  ] as const) {
    const { code, stderr } = await svc(["jobs", "list", ...args], env);
    assert.equal(code, 2);
    assert.match(unwrapped(stderr), shown);
  }
});

test("a wrong command line is reported with what is valid, before any call", async () => {
  const cases: [string[], RegExp][] = [
    [["jobs", "lst"], /Did you mean list\?/],
    [["jobs", "list", "--server", "nowhere"], /Use HOST:PORT/],
    [["jobs", "list", "--server", "http://h:80"], /Use HOST:PORT/],
    [["jobs", "list", "--server", "h:99999"], /Use HOST:PORT/],
    [["jobs", "list", "--state", "done"], /queued, running, succeeded, failed, cancelled/],
    [["jobs", "list", "--label", "release"], /KEY=VALUE/],
    [["jobs", "list", "--label", "a b=c"], /KEY=VALUE/],
    [["jobs", "list", "--label", "a=b", "--label", "a=c"], /a is given twice/],
    [["jobs", "list", "--limit", "0"], /1 to 1000000/],
    [["jobs", "list", "--limit", "5", "--all"], /cannot be used with/],
    [["jobs", "get"], /missing required argument 'id'/],
    [["jobs", "cancel"], /Give ids, an option that selects jobs such as --label, or --all/],
    [["jobs", "watch", "a", "--label", "b=c"], /Give either ids or --label and --state, not both/],
    [["jobs", "watch", ...Array.from({ length: 1001 }, (_, n) => `id-${n}`)], /more than the limit of 1000/],
    [["jobs", "frames", "a", "--csv", "/does/not/exist/f.csv"], /folder "\/does\/not\/exist" does not exist/],
    [["jobs", "frames", "a", "--count", "0"], /1 to 999999999/],
    [["jobs", "submit", "a"], /--from FILE/],
    [["jobs", "submit", "a", "b", "--from", "c"], /not both/],
    [["jobs", "submit", "a", "b", "--all-metrics"], /give --wait too/],
    [["jobs", "submit", "a", "b", "--fail-under", "vmaf.avg=9"], /harmonicMean/],
    [["jobs", "submit", "a", "b", "--priority", "101"], /-100 to 100/],
    [["jobs", "submit", "a", "b", "--pixel-format", "yuv420p"], /--size/],
    [["jobs", "submit", "--from", "/does/not/exist.csv"], /no such file.*Nothing was submitted/],
    [["nodes", "drain"], /missing required argument 'node'/],
    [["tenants", "unrevoke"], /missing required argument 'id'/],
    [["tenants", "revoke"], /one of --token, --token-id, --subject and --issued-before/],
    [["tenants", "revoke", "--subject", "a", "--token-id", "b"], /one of --token/],
    [["tenants", "revoke", "--subject", ""], /It is empty/],
    [["tenants", "revoke", "--issued-before", "yesterday"], /Use now, or a time with its zone/],
    [["tenants", "revoke", "--subject", "a", "--expires", "soon"], /45m, 12h, 30d/],
    [["tenants", "revoke", "--token", "f", "--expires", "1d"], /cannot be used with/],
    [
      ["tenants", "revoke", "--token", "/does/not/exist"],
      /--token: "\/does\/not\/exist" cannot be read: no such file or directory\./,
    ],
  ];
  for (const [args, shown] of cases) {
    const { code, stdout, stderr } = await svc(args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(unwrapped(stderr), shown);
    assert.doesNotMatch(stderr, /SERVER_UNREACHABLE/);
  }
  const json = await svc(["jobs", "frames", "a", "--csv", "f", "--json"]);
  assert.equal(json.code, 2);
  assert.match(JSON.parse(json.stdout).detail, /cannot be used with/);
});
