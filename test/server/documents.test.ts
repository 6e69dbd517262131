/** The documentation lists exactly the error codes, with their statuses, and the metrics of the server. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { status } from "@grpc/grpc-js";
import { statusOf } from "../../src/grpc/status.ts";
import { FAILURE_KINDS, Failure, type FailureCode } from "../../src/platform/failure.ts";
import { STATUSES } from "../../src/rest/http/problem.ts";
import { ServerProcess } from "./server-process.ts";

const document = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), "utf8");

test("docs/errors.md lists every code with its statuses, and no other", async () => {
  const rows = [...(await document("errors.md")).matchAll(/^\| ([A-Z_]+) \| (\d+|–) \| ([A-Z_]+|–) \|/gm)];
  assert.deepEqual(rows.map(([, code = ""]) => code).sort(), Object.keys(FAILURE_KINDS).sort());
  for (const [, code, http, grpc] of rows) {
    const failure = new Failure(code as FailureCode, "");
    if (http !== "–") assert.equal(http, String(STATUSES[failure.kind]), code);
    if (grpc !== "–") assert.equal(grpc, status[statusOf(failure).code], code);
  }
});

test("docs/metrics.md lists every metric of the server, and no other", async () => {
  await using server = await ServerProcess.start({ ready: false });
  const exposed = await (await fetch(`${server.rest}/metrics`)).text();
  const names = [...exposed.matchAll(/^# TYPE (svc_\w+) /gm)].map(([, name = ""]) => name);
  // Metrics of other processes are in other sections.
  const [section = ""] = (await document("metrics.md")).split(/^## /m);
  const listed = [...section.matchAll(/^\| `(svc_\w+)` \|/gm)].map(([, name = ""]) => name);
  assert.deepEqual(listed.sort(), names.sort());
});
