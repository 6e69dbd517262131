/** Routes of the scoring server that need no scorer: probes, page, description, metrics, and refusals. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { ask, dial, readToEnd, type Spec, score } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";

interface Ready {
  readonly status: string;
  readonly scorer: { readonly program: string };
}

let server: ServerProcess;
before(async () => {
  server = await ServerProcess.start();
});
after(() => server[Symbol.asyncDispose]());

describe("probes", () => {
  for (const path of ["/v1/health", "/healthz"]) {
    test(`${path} is 200 while the process runs`, async () => {
      const { status, body, headers } = await ask(server, path);
      assert.equal(status, 200);
      assert.deepEqual(body, { status: "ok" });
      assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
    });
  }

  for (const path of ["/v1/ready", "/readyz"]) {
    test(`${path} is 200 once the scorer is usable, and names it`, async () => {
      const { status, body } = await ask<Ready>(server, path);
      assert.equal(status, 200);
      assert.equal(body.status, "ready");
      assert.match(body.scorer.program, /^(ffmpeg|vmaf)$/);
    });
  }

  test("probes ignore query parameters", async () => {
    assert.equal((await ask(server, "/healthz?verbose=1")).status, 200);
  });
});

describe("the description", () => {
  test("is valid OpenAPI 3.0.3", async () => {
    const { status, body, headers } = await ask<Spec>(server, "/ui/spec.json");
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(body.openapi, "3.0.3");
    const { valid, errors } = await new Validator().validate({ ...body });
    assert.ok(valid, JSON.stringify(errors));
  });

  test("describes every path of the contract, and each answers as described", async () => {
    const { body: spec } = await ask<Spec>(server, "/ui/spec.json");
    const paths = [
      "/healthz",
      "/metrics",
      "/readyz",
      "/ui",
      "/ui/spec.json",
      "/v1/diagnose",
      "/v1/health",
      "/v1/ready",
      "/v1/score",
    ];
    assert.deepEqual(Object.keys(spec.paths).sort(), paths);
    for (const path of paths.filter((each) => !["/v1/score", "/v1/diagnose"].includes(each))) {
      const response = await fetch(server.rest + path);
      const described = Object.keys(spec.paths[path]?.get?.responses["200"]?.content ?? {});
      assert.equal(response.status, 200, path);
      assert.ok(described.includes(response.headers.get("content-type")?.split(";")[0] ?? ""), path);
      await response.arrayBuffer();
    }
  });
});

describe("the page", () => {
  test("loads nothing from other hosts, and its policy forbids it", async () => {
    const response = await fetch(`${server.rest}/ui`);
    const html = await response.text();
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.doesNotMatch(
      html,
      /<script>|<style|style=|onload=|https?:\/\//,
      "the policy allows no inline code",
    );
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? "");
    assert.ok(files.length >= 4);
    for (const file of files) {
      const asset = await fetch(new URL(file, `${server.rest}/ui`));
      const text = await asset.text();
      assert.equal(asset.status, 200, file);
      assert.ok(text.length > 0, file);
      if (file.endsWith(".css"))
        assert.doesNotMatch(text, /@import|url\(["']?(?!["']?data:)/, "styles load nothing");
    }
  });

  test("starts with its own description, with try-it-out off", async () => {
    const script = await (await fetch(`${server.rest}/ui/files/start.js`)).text();
    assert.doesNotMatch(script, /https?:\/\//);
    assert.match(script, /"ui\/spec\.json"/);
    assert.match(script, /validatorUrl: null/);
    assert.match(script, /supportedSubmitMethods: \[\]/);
  });

  test("sends requests if the server is configured to", async () => {
    await using trying = await ServerProcess.start({ args: ["--ui-try-it-out"], ready: false });
    const script = await (await fetch(`${trying.rest}/ui/files/start.js`)).text();
    assert.match(script, /supportedSubmitMethods: \["get",.*"post"/);
  });

  test("serves only its own files", async () => {
    for (const file of ["swagger-ui-es-bundle.js", "package.json", "..%2f..%2fpackage.json", "constructor"]) {
      assert.equal((await ask(server, `/ui/files/${file}`)).status, 404, file);
    }
    const redirect = await fetch(`${server.rest}/ui/`, { redirect: "follow" });
    assert.match(await redirect.text(), /swagger-ui/);
  });
});

describe("refusals:", () => {
  test("an unknown path is 404", async () => {
    const { status, body } = await ask(server, "/v1/nothing");
    assert.equal(status, 404);
    assert.equal(body.code, "NOT_FOUND");
  });

  test("another method is 405 with Allow", async () => {
    const cases = [
      ["/v1/score", "GET", "POST"],
      ["/v1/health", "POST", "GET, HEAD"],
      ["/metrics", "DELETE", "GET, HEAD"],
      ["/v1/score", "OPTIONS", "POST"],
    ] as const;
    for (const [path, method, allow] of cases) {
      const { status, headers, body } = await ask(server, path, { method });
      assert.equal(status, 405, `${method} ${path}`);
      assert.equal(headers.get("allow"), allow);
      assert.equal(body.code, "METHOD_NOT_ALLOWED");
    }
  });

  test("an unknown path is 404 and another method 405, with any body and type", async () => {
    const bodies = [
      {},
      { body: "", headers: { "content-type": "no type" } },
      { body: "{}", headers: { "content-type": "application/json" } },
      { body: "x".repeat(300 * 1024), headers: { "content-type": "text/plain" } },
    ];
    for (const method of ["POST", "PUT", "QUERY", "DELETE"]) {
      for (const init of bodies) {
        assert.equal((await ask(server, "/v1/health", { method, ...init })).status, 405, method);
        assert.equal((await ask(server, "/v1/nothing", { method, ...init })).status, 404, method);
      }
    }
  });

  test("HEAD is GET without the body", async () => {
    for (const path of ["/v1/health", "/readyz", "/ui", "/ui/spec.json", "/metrics"]) {
      const response = await fetch(server.rest + path, { method: "HEAD" });
      assert.equal(response.status, 200, path);
      assert.ok(Number(response.headers.get("content-length")) > 0, path);
      assert.equal(await response.text(), "");
    }
  });

  test("the path may be in an absolute URL (RFC 9112, 3.2.2) or percent-encoded (RFC 3986, 6.2.2.2)", async () => {
    for (const target of [`${server.rest}/v1/health`, "/v1/%68ealth"]) {
      const socket = dial(server);
      socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      assert.match(await readToEnd(socket), /^HTTP\/1\.1 200 /, target);
    }
  });

  test("an error is a problem: RFC 9457's fields, the code and the request's id, as application/json", async () => {
    const { status, headers, body } = await score(server, {});
    assert.equal(status, 400);
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(body, {
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      detail: "reference is missing.",
      code: "INVALID_REQUEST",
      requestId: headers.get("x-request-id"),
    });
  });

  test("keeps a valid request id, and replaces any other", async () => {
    const kept = await ask(server, "/v1/health", { headers: { "x-request-id": "trace-42.a:b" } });
    assert.equal(kept.headers.get("x-request-id"), "trace-42.a:b");
    for (const odd of ["has space", "x".repeat(129), "<script>"]) {
      const { headers } = await ask(server, "/v1/health", { headers: { "x-request-id": odd } });
      assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    }
  });
});

test("metrics are in the text format, without caller-chosen text in labels", async () => {
  await ask(server, "/no/such/path-of-mine");
  await score(server, { reference: "/my/secret.mp4", distorted: "/my/secret.mp4" });
  const response = await fetch(`${server.rest}/metrics`);
  const text = await response.text();
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  for (const name of [
    'svc_scores_total{code="MEDIA_NOT_FOUND"} 1',
    "svc_scores_running 0",
    "svc_scores_limit ",
    "svc_score_frames_total 0",
    "svc_score_duration_seconds_bucket",
    'svc_http_requests_total{method="GET",route="unmatched",status="404"}',
    "svc_http_request_duration_seconds_sum",
    "process_resident_memory_bytes",
    "nodejs_eventloop_lag_seconds",
  ]) {
    assert.ok(text.includes(name), name);
  }
  assert.doesNotMatch(text, /secret|path-of-mine/);
});
