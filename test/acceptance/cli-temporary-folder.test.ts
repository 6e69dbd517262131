/** svc score where the temporary folder cannot be used: the folder is named, and not the scorer. */
import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { smallDisk } from "../chaos/small-disk.ts";
import { makePair, type PairClips } from "../cli/pair.ts";
import { type Ended, SVC, start } from "../cli/program.ts";

describe("a temporary folder that cannot be used", () => {
  let clips: PairClips;
  let folder: string;
  before(async () => {
    clips = await makePair();
    folder = clips.media.file("temporary");
    await mkdir(folder);
  });
  after(() => clips.remove());

  /** Scores the pair in a temporary folder; `before` are words before the command. */
  async function scoreIn(tmpdir: string, before: readonly string[] = []): Promise<Ended> {
    const [program, ...args] = [...before, SVC, "score", ...clips.pair];
    await using running = start(program, args, { env: { TMPDIR: tmpdir } });
    return await running.ended();
  }

  function assertBlamed({ code, stdout, stderr }: Ended, tmpdir: string, why: RegExp): void {
    const told = stderr.replaceAll(/\n */g, " ");
    assert.equal(code, 3, told);
    assert.equal(stdout, "");
    assert.ok(told.startsWith(`error: The temporary folder "${tmpdir}" cannot be used: `), told);
    assert.match(told, why);
    assert.match(told, /TMPDIR.*\[TEMP_DIR_UNUSABLE\]/);
    assert.doesNotMatch(told, /--vmaf-binary|svc itself failed/);
  }

  test("does not exist, or is a file", async () => {
    const missing = clips.media.file("missing");
    assertBlamed(await scoreIn(missing), missing, /does not exist \(ENOENT\)\. Create it/);
    const [file] = clips.pair;
    assertBlamed(await scoreIn(file), file, /not a folder \(ENOTDIR\)/);
  });

  test("is read-only", async () => {
    assertBlamed(await scoreIn(folder, smallDisk(folder, "ro")), folder, /read-only \(EROFS\)/);
  });

  test("has no room: for the trial of the scorer, or later for the log of a score", async () => {
    const fill = ["sh", "-c", 'cat /dev/zero >"$TMPDIR/filler" 2>/dev/null; exec "$@"', "sh"];
    const full = await scoreIn(folder, [...smallDisk(folder, "size=64k"), ...fill]);
    assertBlamed(full, folder, /no space is left on its disk \(ENOSPC\)\. Free some space/);
    // One block, which the log of the trial fits into, and that of 30 frames does not.
    const nearlyFull = await scoreIn(folder, smallDisk(folder, "size=8k"));
    assertBlamed(nearlyFull, folder, /no space is left on its disk \(ENOSPC\)/);
  });

  test("nothing is left in a folder that can be used", async () => {
    assert.equal((await scoreIn(folder)).code, 0);
    assert.deepEqual(await readdir(folder), []);
  });
});
