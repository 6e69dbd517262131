/** Succeeded jobs with pending stills, for tests. */
import assert from "node:assert/strict";
import { STILLS_CLASS } from "../../src/jobs/work.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { JobEvent } from "../../src/store/contract/event-records.ts";
import type { NewJob } from "../../src/store/contract/job-records.ts";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { StillImage, StillSide, StillsPart } from "../../src/store/contract/still-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { ClaimedWork } from "../../src/store/contract/task-records.ts";
import {
  CLASSES,
  fence,
  jobOutcome,
  newTenant,
  plannedJob,
  register,
  segmentRecord,
  take,
} from "./stores.ts";

export const ALL = [...CLASSES, STILLS_CLASS];
export const PARTS: readonly StillsPart[] = [
  { segment: "segment 0", frames: [7, 99] },
  { segment: "segment 1", frames: [100] },
];
export const BOTH: readonly StillSide[] = ["REFERENCE", "DISTORTED"];

export const still = (frame: number, side: StillSide): StillImage => ({
  ...{ frame, side, mediaType: "image/webp", width: 192, height: 108 },
  image: new Uint8Array([frame, side.length, 0, 255]),
});

/** Matches a Failure of this code, for assert.rejects. */
export const code =
  (expected: string, pattern = /./) =>
  (thrown: unknown) =>
    thrown instanceof Failure && thrown.code === expected && pattern.test(thrown.message);

/** Creates a succeeded job of two segments with pending stills. */
export async function succeeded(
  store: Store,
  node: NewNode,
  parts: readonly StillsPart[] = PARTS,
  given: Partial<NewJob> = {},
): Promise<NewJob> {
  const job = await plannedJob(store, node, 2, given);
  for (let n = 0; n < 2; n++) {
    const work = await take(store, node);
    assert.equal((await store.recordSegment(fence(node, work), segmentRecord())).recorded, "RECORDED");
  }
  assert.equal(
    await store.succeed(job.id, 1, jobOutcome({ score: 90, result: '{"score":90}', stills: parts })),
    true,
  );
  return job;
}

/** The job with a ready STILLS task, and a node of its tenant. */
export async function begin(store: Store) {
  const tenant = newTenant();
  const node = await register(store, tenant);
  const cursor = await store.eventCursor();
  const job = await succeeded(store, node);
  return { store, tenant, node, job, cursor };
}

/** Reports all stills of a task. */
export async function make(store: Store, node: NewNode, work: ClaimedWork): Promise<void> {
  const all = (work.stills ?? []).flatMap(({ frames }) =>
    frames.flatMap((frame) => BOTH.map((side) => still(frame, side))),
  );
  for (const [index, one] of all.entries()) {
    const last = index === all.length - 1;
    const { recorded, tenant } = await store.recordStill(fence(node, work), one, last);
    assert.deepEqual([recorded, tenant], ["RECORDED", last ? node.tenant : undefined]);
  }
}

export async function states(store: Store, tenant: string, id: string): Promise<string[]> {
  const rows = await store.listStills(tenant, id);
  return rows.map(({ frame, side, state }) => `${frame} ${side[0]} ${state}`);
}

export async function eventsOf(store: Store, cursor: string, jobId: string): Promise<JobEvent[]> {
  const found: JobEvent[] = [];
  for (let at = cursor; ; ) {
    const page = await store.eventsAfter(at, 1000);
    assert.ok(page);
    found.push(...page.events.filter(({ job }) => job.id === jobId));
    if (page.cursor === at) return found;
    at = page.cursor;
  }
}
