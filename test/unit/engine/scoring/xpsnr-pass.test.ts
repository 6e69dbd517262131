import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readXpsnrLog } from "../../../../src/engine/scoring/xpsnr-pass.ts";

const FRAMES = [
  "n:    1  XPSNR y: 38.5257  XPSNR u: 37.6284  XPSNR v: 35.5049",
  "n:    2  XPSNR y: 9.6768  XPSNR u: inf  XPSNR v: 131.3486",
  "n:    3  XPSNR y: inf  XPSNR u: inf  XPSNR v: inf",
];
const END = ["", "XPSNR average, 3 frames  y: 34.7636  u: 33.3991  v: 31.4489  (minimum: 31.4489)", ""];
const segment = { first: 0, count: 3, before: 0, after: 0, cut: undefined };

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-xpsnr-"));
});
after(() => rm(folder, { recursive: true }));

async function read(lines: readonly string[], subsample = 1) {
  const path = join(folder, "log.txt");
  await writeFile(path, lines.join("\n"));
  return [...(await readXpsnrLog(path, { subsample, segment })).rows()];
}

test("reads a row per frame, without values that are not finite", async () => {
  assert.deepEqual(await read([...FRAMES, ...END]), [
    { frame: 0, metrics: { xpsnr_u: 37.6284, xpsnr_v: 35.5049, xpsnr_y: 38.5257 } },
    { frame: 1, metrics: { xpsnr_v: 131.3486, xpsnr_y: 9.6768 } },
    { frame: 2, metrics: {} },
  ]);
});

test("keeps every n-th frame", async () => {
  const rows = await read([...FRAMES, ...END], 2);
  assert.deepEqual(
    rows.map(({ frame }) => frame),
    [0, 2],
  );
});

test("refuses a log that is truncated, lacks a frame or is not a log of the filter", async () => {
  for (const lines of [
    [],
    FRAMES,
    [...FRAMES.slice(0, 2), ...END],
    [...FRAMES.slice(1), ...END],
    [FRAMES[0] ?? "", "n:    2  XPSNR y: 34.67", ...END],
    ["no log", ...END],
  ])
    await assert.rejects(read(lines), { code: "SCORER_FAILED" });
});
