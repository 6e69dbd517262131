/** A job that was planned by a node of its tenant, and its result. */
import assert from "node:assert/strict";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { ScoreResult } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { Peer } from "./peer.ts";
import type { System } from "./system.ts";

export interface Planned {
  readonly id: string;
  readonly node: Peer;
}

/** Submits a job of this many frames, which is cut into segments of about `length`. */
export async function planned(
  system: System,
  tenant: string,
  frames: number,
  length: number,
): Promise<Planned> {
  const { job } = await system.submit(tenant);
  const node = await Peer.register(system.nodes, tenant);
  await node.plan(await node.pullSome(), frames, length);
  return { id: job.id, node };
}

/** Waits until a job has succeeded, and returns its result. */
export async function resultOf(system: System, tenant: string, id: string): Promise<ScoreResult> {
  await system.until(tenant, id, ({ state }) => state === Job_State.SUCCEEDED);
  return (await system.job(tenant, id)).result ?? assert.fail("it has no result");
}
