/** Which executable scores: the one given, else the bundled one, else the first on the PATH that proves it can. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openEngine } from "../../src/engine/open.ts";
import { FFMPEG } from "../media/ffmpeg.ts";

const run = promisify(execFile);
const STAND_IN = fileURLToPath(new URL("../standin/vmaf", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));

describe("the scoring executable", () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "find-"));
  });
  after(() => rm(directory, { recursive: true }));

  /** A directory with a script of that name, or a link to a program. */
  async function onPath(
    folder: string,
    name: string,
    content: { script: string } | { link: string },
  ): Promise<string> {
    const path = join(directory, folder);
    await mkdir(path, { recursive: true });
    if ("link" in content) await symlink(content.link, join(path, name));
    else {
      await writeFile(join(path, name), `#!/bin/sh\n${content.script}\n`);
      await chmod(join(path, name), 0o755);
    }
    return path;
  }

  test("is the bundled ffmpeg by default, whatever is on the PATH", async () => {
    const engine = await openEngine({ searchPath: await onPath("any", "vmaf", { link: STAND_IN }) });
    assert.equal(engine.scorer.program, "ffmpeg");
    assert.notEqual(engine.scorer.libvmafVersion, "unknown");
  });

  test("is the one given: a path, or a name on the PATH", async () => {
    const byPath = await openEngine({ scorerPath: STAND_IN });
    assert.equal(byPath.scorer.program, "vmaf");
    const searchPath = await onPath("named", "my-vmaf", { script: `exec '${STAND_IN}' "$@"` });
    const byName = await openEngine({ scorerPath: "my-vmaf", searchPath });
    assert.equal(byName.scorer.program, "vmaf");
  });

  for (const [what, script, reason] of [
    [
      "an ffmpeg without libvmaf",
      "[ \"$1\" = -version ] && echo 'ffmpeg version 7.1' && exit; echo \"No such filter: 'libvmaf'\" >&2; exit 1",
      /No such filter/,
    ],
    ["another program", "echo hello there", /neither an ffmpeg nor Netflix's vmaf/],
    ["a program that fails without a word", "exit 7", /neither an ffmpeg/],
  ] as const) {
    test(`${what} is refused with the reason`, async () => {
      const folder = await onPath(what.replaceAll(" ", "-"), "scorer", { script });
      await assert.rejects(
        openEngine({ scorerPath: join(folder, "scorer") }),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, "SCORER_NOT_FOUND");
          assert.match(error.message, reason);
          return true;
        },
      );
    });
  }

  test("one that hangs is refused: that it did not answer, by its name", async () => {
    const script = "[ \"$1\" = -version ] && echo 'ffmpeg version 7.1' && exit; exec sleep 600";
    const scorerPath = join(await onPath("hanging", "scorer", { script }), "scorer");
    await assert.rejects(openEngine({ scorerPath }), (error: Error & { code?: string }) => {
      assert.deepEqual(
        [error.code, error.message],
        ["SCORER_FAILED", `${scorerPath} did not answer within 30 s.`],
      );
      return true;
    });
  });

  test("one that is not there, or cannot be run, is refused by its name", async () => {
    await assert.rejects(openEngine({ scorerPath: "/no/such/vmaf" }), /\/no\/such\/vmaf is not a program/);
    await assert.rejects(
      openEngine({ scorerPath: "no-such-vmaf", searchPath: "/usr/bin" }),
      /no program no-such-vmaf on the PATH/,
    );
  });

  test("without a bundled one it is the first on the PATH that proves it can score", async () => {
    // The engine imports nothing but Node.js: a copy of its sources has no packages, so nothing is bundled.
    const copy = join(directory, "copy");
    await cp(SOURCES, copy, { recursive: true });
    await writeFile(join(copy, "package.json"), '{"type":"module"}');
    const broken = await onPath("broken", "vmaf", { script: "echo 3.0.0; exit 1" });
    const able = await onPath("able", "ffmpeg", { link: FFMPEG });
    const program = `const { openEngine } = await import(${JSON.stringify(join(copy, "engine/open.ts"))});
      try { console.log(JSON.stringify((await openEngine({ searchPath: process.argv[1] })).scorer)); }
      catch (error) { console.log(JSON.stringify({ code: error.code, message: error.message })); }`;
    const found = async (path: string) =>
      JSON.parse((await run(process.execPath, ["--input-type=module", "-e", program, path])).stdout);
    assert.equal((await found(`${broken}:${able}`)).program, "ffmpeg");
    const none = await found(broken);
    assert.equal(none.code, "SCORER_NOT_FOUND");
    assert.match(none.message, /--vmaf-binary.*Tried: .*broken\/vmaf does not score/s);
  });
});
