/** A leased task ends with an outcome, whatever goes wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { WorkItemSchema } from "../../../src/gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../../../src/platform/failure.ts";
import { Lease } from "../../../src/worker/lease.ts";
import { perform } from "../../../src/worker/perform.ts";

test("a task without an engine fails", async () => {
  const outcome = await perform(
    new Lease("session", create(WorkItemSchema)),
    () => {
      throw new Failure("SCORER_NOT_READY", "There is no scorer yet.");
    },
    1_000,
  );
  assert.equal(outcome.kind === "FAILED" && outcome.failure.code, "SCORER_NOT_READY");
});
