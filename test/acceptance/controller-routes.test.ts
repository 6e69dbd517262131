/** A controller without nodes: its description, its probes, and how it stores and streams jobs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import { ask, dial, type Spec } from "../server/rest-client.ts";

const PAIR = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" };

let directory: MediaDirectory;
let controller: ControllerProcess;
let jobs: JobsClient;
before(async () => {
  directory = await MediaDirectory.open();
  controller = await ControllerProcess.start({ dataDir: directory.file("data") });
  jobs = await JobsClient.of(controller);
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await directory.remove();
});

describe("the description", () => {
  test("is valid OpenAPI 3.0.3, and the page shows it", async () => {
    const { body } = await ask<Spec>(controller, "/ui/spec.json");
    assert.equal(body.openapi, "3.0.3");
    const { valid, errors } = await new Validator().validate({ ...body });
    assert.ok(valid, JSON.stringify(errors));
    assert.match(await (await fetch(`${controller.rest}/ui`)).text(), /<title>svc controller<\/title>/);
  });

  test("doesn't mention tokens without authentication", async () => {
    const { body } = await ask<Spec>(controller, "/ui/spec.json");
    assert.doesNotMatch(JSON.stringify(body), /"security"|bearer|"401"/i);
  });

  test("has every path of the API", async () => {
    const { body } = await ask<Spec>(controller, "/ui/spec.json");
    assert.deepEqual(Object.keys(body.paths).sort(), [
      "/healthz",
      "/readyz",
      "/ui",
      "/ui/spec.json",
      "/v1/comparisons",
      "/v1/comparisons/{id}",
      "/v1/comparisons/{id}/cells",
      "/v1/comparisons/{id}:cancel",
      "/v1/comparisons/{id}:retry",
      "/v1/health",
      "/v1/jobs",
      "/v1/jobs/{id}",
      "/v1/jobs/{id}/clips",
      "/v1/jobs/{id}/clips/{frame}",
      "/v1/jobs/{id}/frames",
      "/v1/jobs/{id}/stills",
      "/v1/jobs/{id}/stills/{frame}",
      "/v1/jobs/{id}/stills/{frame}/{side}",
      "/v1/jobs/{id}:cancel",
      "/v1/jobs/{id}:finish",
      "/v1/jobs:batch",
      "/v1/jobs:cancel",
      "/v1/jobs:delete",
      "/v1/jobs:stream",
      "/v1/media",
      "/v1/nodes",
      "/v1/nodes/{id}:drain",
      "/v1/ready",
      "/v1/score",
      "/v1/tenant",
      "/v1/tenant/audit",
      "/v1/tenant/revocations",
      "/v1/tenant/revocations/{id}:lift",
      "/v1/trends",
      "/v1/uploads",
      "/v1/uploads/{id}",
      "/v1/uploads/{id}:complete",
      "/v1/uploads/{id}:sign",
      "/v1/whoami",
    ]);
  });
});

test("probes ignore query parameters", async () => {
  for (const path of ["/v1/health", "/healthz"]) {
    const { status, body } = await ask<object>(controller, `${path}?verbose=1`);
    assert.deepEqual([status, body], [200, { status: "ok" }]);
  }
  for (const path of ["/v1/ready", "/readyz"]) {
    const { status, body } = await ask<object>(controller, path);
    assert.deepEqual([status, body], [200, { status: "ready" }]);
  }
});

test("without authentication every caller is tenant dev with role svc:admin, with any token", async () => {
  for (const headers of [{}, { authorization: "Bearer anything" }]) {
    const { body } = await jobs.call<object>("whoami", "/v1/whoami", { headers });
    assert.deepEqual(body, { tenant: "dev", subject: "", roles: ["svc:admin"] });
  }
});

test("stores a batch of 1,000 jobs, which all wait for a node", async () => {
  const entries = Array.from({ length: 1000 }, (_, index) => ({
    job: { ...PAIR, name: `job ${index}`, labels: null },
  }));
  const { status, body } = await jobs.post<{ jobs: { job: Job }[] }>("submitJobs", "/v1/jobs:batch", {
    jobs: entries,
  });
  assert.equal(status, 201);
  assert.equal(new Set(body.jobs.map(({ job }) => job.id)).size, 1000);
  assert.deepEqual(
    body.jobs.map(({ job }) => job.spec["name"]),
    entries.map(({ job }) => job.name),
  );
  assert.ok(body.jobs.every(({ job }) => job.state === "QUEUED"));
  assert.equal((await jobs.list("?pageSize=500&state=QUEUED")).body.jobs.length, 500);
});

test("HEAD has the headers of GET and no body, even if GET streams forever", async () => {
  for (const path of ["/v1/jobs:stream", "/v1/jobs", "/healthz"]) {
    const answer = await fetch(`${controller.rest}${path}`, { method: "HEAD" });
    assert.equal(answer.status, 200, path);
    assert.equal(await answer.text(), "");
  }
});

test("releases a client that stopped reading its stream when it disconnects, and keeps serving", async () => {
  const socket = dial(controller);
  socket.write("GET /v1/jobs:stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "data");
  socket.pause();
  socket.destroy();
  await once(socket, "close");
  assert.equal((await ask<object>(controller, "/readyz")).status, 200);
});
