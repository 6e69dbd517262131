/** svc score with an unusable temporary folder: the error names the folder, not the scorer. */
import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { smallDisk } from "../chaos/small-disk.ts";
import { makePair, type PairClips } from "../cli/pair.ts";
import { type Ended, SVC, start } from "../cli/program.ts";

describe("an unusable temporary folder", () => {
  let clips: PairClips;
  let folder: string;
  before(async () => {
    clips = await makePair();
    folder = clips.media.file("temporary");
    await mkdir(folder);
  });
  after(() => clips.remove());

  /** Scores the pair in a temporary folder; `before`: words before the command. */
  async function scoreIn(tmpdir: string, before: readonly string[] = []): Promise<Ended> {
    const [program, ...args] = [...before, SVC, "score", ...clips.pair];
    await using running = start(program, args, { env: { TMPDIR: tmpdir } });
    return await running.ended();
  }

  function assertBlamed({ code, stdout, stderr }: Ended, tmpdir: string, why: RegExp): void {
    const reported = stderr.replaceAll(/\n */g, " ");
    assert.equal(code, 3, reported);
    assert.equal(stdout, "");
    assert.ok(reported.startsWith(`error: The temporary folder "${tmpdir}" cannot be used: `), reported);
    assert.match(reported, why);
    assert.match(reported, /TMPDIR.*\[TEMP_DIR_UNUSABLE\]/);
    assert.doesNotMatch(reported, /--vmaf-binary|svc failed unexpectedly/);
  }

  test("that does not exist, or is a file", async () => {
    const missing = clips.media.file("missing");
    assertBlamed(await scoreIn(missing), missing, /does not exist \(ENOENT\)\. Create it/);
    const [file] = clips.pair;
    assertBlamed(await scoreIn(file), file, /not a folder \(ENOTDIR\)/);
  });

  test("that is read-only", async () => {
    assertBlamed(await scoreIn(folder, smallDisk(folder, "ro")), folder, /read-only \(EROFS\)/);
  });

  test("that is full: from the start, or for the end of the log of a score", async () => {
    const fill = ["sh", "-c", 'cat /dev/zero >"$TMPDIR/filler" 2>/dev/null; exec "$@"', "sh"];
    const full = await scoreIn(folder, [...smallDisk(folder, "size=64k"), ...fill]);
    assertBlamed(full, folder, /no space is left on its disk \(ENOSPC\)\. Free some space/);
    // One block: the log of 30 frames does not fit.
    const nearlyFull = await scoreIn(folder, smallDisk(folder, "size=4k"));
    assertBlamed(nearlyFull, folder, /no space is left on its disk \(ENOSPC\)/);
  });

  test("leaves nothing in a usable folder", async () => {
    assert.equal((await scoreIn(folder)).code, 0);
    assert.deepEqual(await readdir(folder), []);
  });
});
