import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Peer } from "./peer.ts";
import { System } from "./system.ts";

const FRAMES = 40;
/** Number of store failures. */
const FAULTS = 2;

describe("pooling", () => {
  let system: System;
  let faults = 0;
  before(async () => {
    system = await System.open({}, (store) => ({
      succeed: async (...values) => {
        if (faults++ < FAULTS) throw new Failure("STORE_UNAVAILABLE", "The connection is gone.");
        return store.succeed(...values);
      },
      // Held by its pooler, so no other controller gets the job.
      takePoolable: async () => [],
    }));
  });
  after(async () => system.close());

  test("continues when the store is back, without waiting for a hold to expire", async () => {
    const tenant = "pooled";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    await node.work(FRAMES);
    const { state } = await system.until(tenant, job.id, ({ endTime }) => endTime !== undefined);
    assert.equal(state, Job_State.SUCCEEDED);
    assert.equal(faults, FAULTS + 1);
  });
});
