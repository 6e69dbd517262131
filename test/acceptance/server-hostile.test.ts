/** Hostile clients of the REST port: each gets a clear 4xx or is disconnected, and the server keeps running. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { ask, dial, rawPost, readToEnd, score } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";
import { until } from "../waiting.ts";

let server: ServerProcess;
/** For requests that never arrive completely. */
let hasty: ServerProcess;
before(async () => {
  server = await ServerProcess.start();
  hasty = await ServerProcess.start({ args: ["--request-timeout", "3"] });
});
after(async () => {
  await hasty[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(async () => {
  for (const one of [server, hasty]) {
    // The server with the short timeout may close a request if this process stalls for a moment.
    const lives = async () => (await ask(one, "/readyz").catch(() => undefined))?.status === 200;
    await until(lives, "a response from the server, which keeps running");
  }
});

const PAIR = '"reference":"a","distorted":"b"';
const deep = (levels: number) => `{${PAIR},"features":${"[".repeat(levels)}${"]".repeat(levels)}}`;

describe("a hostile body", () => {
  const bodies: [name: string, body: string | Uint8Array, code: string, detail: RegExp][] = [
    ["nothing", "", "INVALID_JSON", /empty/],
    ["half an object", `{${PAIR}`, "INVALID_JSON", /position/],
    ["two objects", `{${PAIR}}{${PAIR}}`, "INVALID_JSON", /./],
    ["a comment", `{${PAIR}} // hello`, "INVALID_JSON", /./],
    ["NaN", `{${PAIR},"subsample":NaN}`, "INVALID_JSON", /./],
    ["null", "null", "INVALID_JSON", /not a JSON object/],
    ["a list", "[]", "INVALID_JSON", /not a JSON object/],
    ["a string that contains an object", JSON.stringify(`{${PAIR}}`), "INVALID_JSON", /not a JSON object/],
    ["a byte order mark", `\ufeff{${PAIR}}`, "MEDIA_NOT_FOUND", /./],
    ["20 levels", deep(20), "INVALID_JSON", /levels deep/],
    ["100,000 levels", deep(100_000), "INVALID_JSON", /levels deep/],
    ["100,000 open brackets", "[".repeat(100_000), "INVALID_JSON", /./],
    ["a member twice", `{${PAIR},"reference":"c"}`, "INVALID_JSON", /duplicate member "reference"/],
    [
      "a member twice, once escaped",
      `{${PAIR},"refer\\u0065nce":"c"}`,
      "INVALID_JSON",
      /duplicate member "reference"/,
    ],
    ["__proto__", `{${PAIR},"__proto__":{"subsample":9}}`, "INVALID_REQUEST", /__proto__/],
    ["constructor", `{${PAIR},"constructor":{"prototype":{}}}`, "INVALID_REQUEST", /constructor/],
    ["__proto__ inside", `{${PAIR},"rawVideo":{"__proto__":{"width":1}}}`, "INVALID_REQUEST", /rawVideo/],
    ["invalid UTF-8", Buffer.from(`{"reference":"\xff","distorted":"b"}`, "latin1"), "INVALID_JSON", /UTF-8/],
    ["UTF-16", Buffer.from(`{${PAIR}}`, "utf16le"), "INVALID_JSON", /./],
    ["a number beyond all", `{${PAIR},"subsample":1e400}`, "INVALID_REQUEST", /subsample/],
    [
      "an object as a path",
      '{"reference":{},"distorted":"b"}',
      "INVALID_REQUEST",
      /reference must be string/,
    ],
    [
      "20,000 models",
      `{${PAIR},"models":${JSON.stringify(Array(20_000).fill("m"))}}`,
      "INVALID_REQUEST",
      /models/,
    ],
  ];
  for (const [name, body, code, detail] of bodies) {
    test(`${name}: ${code}`, async () => {
      const answer = await score(server, body);
      assert.equal(answer.body.code, code, JSON.stringify(answer.body));
      assert.ok(answer.status >= 400 && answer.status < 500);
      assert.match(answer.body.detail, detail);
    });
  }

  test("over 256 KiB is 413, announced or not", async () => {
    const large = JSON.stringify({ reference: "x".repeat(300_000), distorted: "b" });
    const { status, body } = await score(server, large);
    assert.equal(status, 413);
    assert.equal(body.code, "REQUEST_TOO_LARGE");
    const chunked = dial(server);
    const size = large.length.toString(16);
    chunked.write(
      "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n",
    );
    chunked.write(`Transfer-Encoding: chunked\r\n\r\n${size}\r\n${large}\r\n0\r\n\r\n`);
    assert.match(await readToEnd(chunked), /^HTTP\/1\.1 413 /);
  });

  test("any type but application/json is 415, so that no cross-site page can send one without a preflight", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "nonsense",
    ]) {
      const { status, body } = await score(server, `{${PAIR}}`, { headers: { "content-type": type } });
      assert.equal(status, 415, type);
      assert.equal(body.code, "UNSUPPORTED_MEDIA_TYPE");
    }
    const untyped = dial(server);
    untyped.write(
      `POST /v1/score HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    );
    assert.match(await readToEnd(untyped), /^HTTP\/1\.1 415 /);
  });

  test("no body is 400, with or without a type", async () => {
    const bare = dial(server);
    bare.write(
      "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    );
    assert.match(await readToEnd(bare), /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_JSON"/);
    const { status, body } = await score(server, "");
    assert.deepEqual([status, body.code], [400, "INVALID_JSON"]);
  });

  test("JSON with a charset is accepted", async () => {
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    assert.equal((await score(server, `{${PAIR}}`, { headers })).body.code, "MEDIA_NOT_FOUND");
  });
});

describe("a hostile connection", () => {
  test("a body that never completes gets 408", async () => {
    const slow = dial(hasty);
    slow.write(
      "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    const answer = await readToEnd(slow);
    assert.match(answer, /^HTTP\/1\.1 408 /);
    assert.match(answer, /"code":"REQUEST_TIMEOUT"/);
  });

  test("headers that never complete get 408", async () => {
    const slow = dial(hasty);
    slow.write("GET /v1/health HTTP/1.1\r\nHost: s");
    assert.match(await readToEnd(slow), /^HTTP\/1\.1 408 /);
  });

  test("a silent connection is closed", async () => {
    await readToEnd(dial(hasty));
  });

  test("non-HTTP data is 400, endless headers are 431", async () => {
    const garbage = dial(server);
    garbage.write("\x16\x03\x01 hello\r\n\r\n");
    const refused = await readToEnd(garbage);
    assert.match(refused, /^HTTP\/1\.1 400 [\s\S]*"code":"MALFORMED_REQUEST"/);
    const [, header] = /^x-request-id: (\S+)\r$/im.exec(refused) ?? [];
    assert.ok(header && refused.includes(`"requestId":"${header}"`));
    const long = dial(server);
    long.write(`GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
    assert.match(await readToEnd(long), /^HTTP\/1\.1 431 [\s\S]*"code":"HEADERS_TOO_LARGE"/);
  });

  test("a request without a Host is 400; an unknown Expect header is ignored", async () => {
    const hostless = dial(server);
    hostless.write("GET /v1/health HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert.match(
      await readToEnd(hostless),
      /^HTTP\/1\.1 400 [\s\S]*no Host header[\s\S]*"code":"MALFORMED_REQUEST"/,
    );
    const expecting = dial(server);
    const head =
      "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\nConnection: close\r\n\r\n";
    expecting.write(head);
    assert.match(await readToEnd(expecting), /^HTTP\/1\.1 200 /);
  });

  test("a request smuggled with two lengths is refused", async () => {
    const smuggler = dial(server);
    smuggler.write(
      "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    assert.match(await readToEnd(smuggler), /^HTTP\/1\.1 400 /);
  });

  test("an invalid path is 400 or 404", async () => {
    for (const path of ["/%", "/%ff", "//", "/v1//health", "/ui/files/%", "/v1/health%00"]) {
      const { status, body } = await ask(server, path);
      assert.ok(status === 400 || status === 404, `${path}: ${status}`);
      assert.match(body.code, /^(NOT_FOUND|MALFORMED_REQUEST)$/);
    }
  });

  test("pipelined requests are answered in order", async () => {
    const pipeline = dial(server);
    const bad = rawPost("{}", "x-request-id: one\r\n");
    const last =
      "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nx-request-id: three\r\nConnection: close\r\n\r\n";
    pipeline.write(bad + rawPost(`{${PAIR}}`, "x-request-id: two\r\n") + last);
    const answer = await readToEnd(pipeline);
    const reported = [...answer.matchAll(/HTTP\/1\.1 (\d+)|x-request-id: (\w+)/g)].map(
      ([, status, id]) => status ?? id,
    );
    assert.deepEqual(reported, ["400", "one", "422", "two", "200", "three"]);
  });
});
