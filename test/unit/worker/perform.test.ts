/** A leased task ends with an outcome after any failure. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Registry } from "prom-client";
import { WorkItemSchema } from "../../../src/gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../../../src/platform/failure.ts";
import { openLog } from "../../../src/platform/observability/log.ts";
import { Lease } from "../../../src/worker/lease.ts";
import { NodeMedia } from "../../../src/worker/media/node-media.ts";
import { NodeMetrics } from "../../../src/worker/metrics.ts";
import { perform } from "../../../src/worker/perform.ts";

test("a task without an engine fails", async () => {
  const outcome = await perform(
    new Lease("session", create(WorkItemSchema)),
    () => {
      throw new Failure("SCORER_NOT_READY", "There is no scorer yet.");
    },
    new NodeMedia({
      ...{ directory: "/nonexistent", maxBytes: 0, roots: undefined },
      sign: () => assert.fail("there is no title"),
      ...{ metrics: new NodeMetrics(new Registry()), log: openLog({ level: "silent", format: "json" }) },
    }),
    1_000,
  );
  assert.equal(outcome.kind === "FAILED" && outcome.failure.code, "SCORER_NOT_READY");
});
