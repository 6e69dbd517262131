import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { csvTarget, csvText } from "../../src/cli/score/csv.ts";
import { writeOutput } from "../../src/cli/score/output-file.ts";
import { FrameTable } from "../../src/engine/frames/frame-table.ts";
import { vmafSeries } from "./series.ts";

const NEVER = new AbortController().signal;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "csv-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("text", () => {
  test("has a header, six decimals, an empty cell for a value that isn't finite, and the real frame numbers", () => {
    const text = (rate: number | undefined) =>
      [...csvText(vmafSeries([93.5, undefined, 100], 10, 2), rate)].join("");
    assert.equal(
      text(30_000 / 1001),
      "frame,vmaf,time\n10,93.500000,0.333667\n12,,0.400400\n14,100.000000,0.467133\n",
    );
    assert.equal(text(undefined), "frame,vmaf,time\n10,93.500000,\n12,,\n14,100.000000,\n");
  });

  test("quotes a metric name if needed", () => {
    assert.equal([...csvText(new FrameTable(['a,"b"']), 25)].join(""), 'frame,"a,""b""",time\n');
  });

  test("returns a film in chunks, every row once", () => {
    const pieces = [...csvText(vmafSeries(Array(2500).fill(1)), 25)];
    assert.equal(pieces.length, 3);
    assert.equal(pieces.join("").split("\n").length, 2502);
  });
});

describe("file", () => {
  test("is replaced atomically through a symbolic link, which stays; no other file is left", async () => {
    const real = join(folder, "real.csv");
    await writeFile(real, "old");
    await symlink(real, join(folder, "link.csv"));
    await writeOutput(await csvTarget(join(folder, "link.csv"), []), csvText(vmafSeries([1]), 25), NEVER);
    assert.equal(await readFile(real, "utf8"), "frame,vmaf,time\n0,1.000000,0.000000\n");
    assert.deepEqual((await readdir(folder)).sort(), ["link.csv", "real.csv"]);
  });

  test("is unchanged, without a temporary file, if writing is aborted", async () => {
    const path = join(folder, "old.csv");
    await writeFile(path, "old");
    const target = await csvTarget(path, []);
    await assert.rejects(writeOutput(target, csvText(vmafSeries([1]), 25), AbortSignal.abort()), {
      code: "SCORE_CANCELLED",
    });
    assert.equal(await readFile(path, "utf8"), "old");
    assert.deepEqual(await readdir(folder), ["old.csv"]);
  });

  test("reports a full disk", async () => {
    const target = await csvTarget("/dev/full", []);
    await assert.rejects(
      writeOutput(target, csvText(vmafSeries([1]), 25), NEVER),
      /"\/dev\/full": the disk is full/,
    );
  });

  test("has the permissions of a new file", async () => {
    const path = join(folder, "new.csv");
    await writeOutput(await csvTarget(path, []), csvText(vmafSeries([1]), 25), NEVER);
    await writeFile(join(folder, "plain"), "");
    assert.equal((await stat(path)).mode, (await stat(join(folder, "plain"))).mode);
    await chmod(path, 0o600);
  });
});

describe("checked before scoring", () => {
  test("refuses a folder, a file in a missing folder, and the videos themselves", async () => {
    const video = join(folder, "video.mp4");
    await writeFile(video, "precious");
    await symlink(video, join(folder, "alias"));
    await assert.rejects(csvTarget(folder, []), /it is a directory/);
    await assert.rejects(csvTarget(join(folder, "no", "x.csv"), []), /does not exist/);
    await assert.rejects(csvTarget(join(folder, "alias"), ["other", video]), /one of the two videos/);
    assert.equal(await readFile(video, "utf8"), "precious");
  });
});
