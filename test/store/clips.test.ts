/** Clips: requested later, stored in pieces, complete only as one attempt reported them, and deleted with their job. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CLIP_PIECE_BYTES } from "../../src/jobs/clips.ts";
import { CLIPS_CLASS } from "../../src/jobs/work.ts";
import type { ClipFacts, ClipPiece } from "../../src/store/contract/clip-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { ALL, begin, code, eventsOf, make, still } from "./still-jobs.ts";
import { CLASSES, claim, fence, LEASE_MS, onBothStores, take } from "./stores.ts";

const CLIPS = [...CLASSES, CLIPS_CLASS];
const BYTES = CLIP_PIECE_BYTES + 3;
const AGAIN = () => ({ kind: "retry", afterMs: 0 }) as const;

const facts = (frame: number, over: Partial<ClipFacts> = {}): ClipFacts => ({
  ...{ frame, firstFrame: frame, frameCount: 1, mediaType: "video/mp4", width: 64, height: 36 },
  ...{ bytes: BYTES, ...over },
});

/** `fill`: the value of all of its bytes. */
function piece(number: 0 | 1, fill: number): ClipPiece {
  const length = number === 0 ? CLIP_PIECE_BYTES : 3;
  return { number, piece: new Uint8Array(length).fill(fill), last: number === 1 };
}

async function stored(
  store: Store,
  tenant: string,
  id: string,
  frame: number,
): Promise<number[] | undefined> {
  const clip = await store.clip(tenant, id, frame);
  if (clip === undefined) return undefined;
  const pieces = await Promise.all([0, 1, 2].map((number) => store.clipPiece(tenant, id, clip, number)));
  return pieces.flatMap((one) => (one === undefined ? [] : [one.length, one[0] ?? -1]));
}

onBothStores((open) => {
  describe("clips", () => {
    async function asked(frame = 99) {
      const given = await begin(open().store);
      const { store, tenant, node, job } = given;
      await make(store, node, await take(store, node, ALL));
      assert.deepEqual(await store.requestClips(tenant, job.id, [frame], 50), {
        ready: { tenant, workClass: CLIPS_CLASS },
      });
      return { ...given, work: await take(store, node, CLIPS) };
    }

    test("are made of the segments around their frame by nodes that make clips, and announced once", async () => {
      const { store, tenant, node, job, work } = await asked();
      assert.deepEqual([work.kind, work.clipFrame, work.workClass], ["STILLS", 99, CLIPS_CLASS]);
      const parts = work.stills?.map(({ segment, frames }) => [segment, frames[0], frames.length]);
      assert.deepEqual(parts, [
        ["segment 0", 74, 26],
        ["segment 1", 100, 24],
      ]);
      const cursor = await store.eventCursor();
      const held = fence(node, work);
      assert.deepEqual(await store.recordClip(held, facts(99), piece(0, 1)), {
        ...{ recorded: "RECORDED", tenant: undefined },
      });
      assert.equal(await store.clip(tenant, job.id, 99), undefined);
      assert.deepEqual(await store.recordClip(held, facts(99), piece(1, 1)), {
        recorded: "RECORDED",
        tenant,
      });
      assert.deepEqual(await stored(store, tenant, job.id, 99), [CLIP_PIECE_BYTES, 1, 3, 1]);
      assert.equal((await store.recordClip(held, facts(99), piece(1, 1))).recorded, "REPEATED");
      assert.equal((await eventsOf(store, cursor, job.id)).length, 1);
      const [row] = await store.listClips(tenant, job.id);
      assert.deepEqual([row?.state, row?.clip], ["READY", facts(99)]);
      assert.equal(await store.clip("another", job.id, 99), undefined);
      assert.deepEqual(await store.listClips("another", job.id), []);
    });

    test("mix no pieces of different attempts", async () => {
      const { store, tenant, node, job, work } = await asked();
      await store.recordClip(fence(node, work), facts(99), piece(0, 1));
      await store.recordFailure(fence(node, work), { code: "SCORER_FAILED", message: "." }, AGAIN);
      await store.promoteWaiting(10);
      const second = await take(store, node, CLIPS);
      assert.equal(second.attempt, 2);
      const held = fence(node, second);
      await assert.rejects(store.recordClip(held, facts(99), piece(1, 2)), code("INVALID_REQUEST"));
      const short = facts(99, { bytes: 3 });
      const only: ClipPiece = { number: 0, piece: new Uint8Array(3).fill(2), last: true };
      assert.equal((await store.recordClip(held, short, only)).recorded, "RECORDED");
      assert.deepEqual(await stored(store, tenant, job.id, 99), [3, 2]);
    });

    test("and stills do not take each other's reports", async () => {
      const { store, node, job, tenant, work } = await asked();
      await assert.rejects(
        store.recordStill(fence(node, work), still(99, "REFERENCE"), false),
        code("INVALID_REQUEST"),
      );
      await store.requestStills(tenant, job.id, [5]);
      const drawn = await take(store, node, ALL);
      await assert.rejects(
        store.recordClip(fence(node, drawn), facts(5), piece(0, 1)),
        code("INVALID_REQUEST"),
      );
      await assert.rejects(store.deleteStill(tenant, job.id, 80), code("STILL_NOT_FOUND"));
      await assert.rejects(store.deleteClip(tenant, job.id, 5), code("CLIP_NOT_FOUND"));
    });

    test("are deleted alone, with their lease, and with their job", async () => {
      const { store, tenant, node, job, work } = await asked();
      await store.recordClip(fence(node, work), facts(99), piece(0, 1));
      assert.deepEqual(await store.deleteClip(tenant, job.id, 99), { nodes: [node.id] });
      assert.equal((await store.recordClip(fence(node, work), facts(99), piece(1, 1))).recorded, "STALE");
      const running = [{ itemId: work.id, attempt: work.attempt, framesDone: 0 }];
      assert.equal((await store.renew(node.session, running, LEASE_MS, false)).lost.length, 1);
      await store.requestClips(tenant, job.id, [3], 50);
      const next = await take(store, node, CLIPS);
      for (const one of [piece(0, 4), piece(1, 4)]) {
        await store.recordClip(fence(node, next), facts(3), one);
      }
      const clip = await store.clip(tenant, job.id, 3);
      assert.ok(clip);
      assert.equal(await store.deleteClip("another", job.id, 3), undefined);
      await store.deleteJob(tenant, job.id, false);
      assert.equal(await store.clip(tenant, job.id, 3), undefined);
      assert.equal(await store.clipPiece(tenant, job.id, clip, 0), undefined);
      assert.equal(await claim(store, node, CLIPS), undefined);
    });
  });
});
