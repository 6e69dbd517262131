/** Disk space of per-frame scores in the database, including all overhead. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeRows } from "../../src/engine/frames/codec.ts";
import { FrameTable } from "../../src/engine/frames/frame-table.ts";
import { openStore } from "../../src/store/open.ts";
import { SharedDatabase } from "./postgres-server.ts";
import {
  fence,
  MEDIA,
  newJob,
  newTenant,
  register,
  SCORE,
  SILENT,
  segmentRecord,
  segments,
  take,
} from "./stores.ts";

const METRICS = [
  "vmaf",
  "integer_adm2",
  "integer_motion2",
  "integer_vif_scale0",
  "integer_vif_scale1",
  "psnr_y",
];

/** Ten seconds at 24 and 60 frames per second, with random scores to six decimals. */
for (const frames of [240, 600]) {
  test(`segments of ${frames} frames take less than 8 bytes per score`, async () => {
    await using database = await SharedDatabase.prepared();
    const store = await openStore({ databaseUrl: database.url }, SILENT);
    const node = await register(store, newTenant());
    const count = 60;
    const job = newJob();
    await store.insertJobs(node.tenant, [job]);
    await store.recordPlan(fence(node, await take(store, node)), {
      plan: "the plan",
      framesTotal: count * frames,
      segments: segments(count).map((one, n) => ({ ...one, firstFrame: n * frames, frameCount: frames })),
      workClass: SCORE,
      media: MEDIA,
    });
    const table = new FrameTable(METRICS);
    for (let frame = 0; frame < frames; frame++) {
      table.append(
        frame,
        METRICS.map((_, n) => Math.round((90 - n * 12 + Math.random() * 10) * 1e6) / 1e6),
      );
    }
    for (let n = 0; n < count; n++) {
      const pieces = [...encodeRows(table, 900_000)];
      assert.equal(pieces.length, 1);
      const { rows = new Uint8Array(), rowCount = 0 } = pieces[0] ?? {};
      const record = segmentRecord({ last: { number: 0, rows, rowCount } });
      await store.recordSegment(fence(node, await take(store, node)), record);
    }
    assert.equal((await store.allParts(job.id, 1)).length, count);
    await store.close();
    const sizes = await database.admin("select pg_total_relation_size('svc.piece') as bytes");
    const bytes = Number(sizes.rows[0].bytes) / (count * frames * METRICS.length);
    assert.ok(bytes < 8, `${bytes.toFixed(2)} bytes per score`);
    assert.ok(bytes > 1, `${bytes.toFixed(2)} bytes per score cannot be the total size`);
  });
}
