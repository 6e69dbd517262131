/** Which executable scores: the given one, else the bundled one, else the first on the PATH that can score. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openEngine } from "../../src/engine/open.ts";
import { scorerIn } from "../../src/engine/programs/places.ts";
import { buildFor, PLATFORM } from "../../src/engine/programs/release.ts";
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

  /** Makes a directory with a script of this name, or a link to a program. */
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

  test("is the bundled ffmpeg by default, regardless of the PATH", async () => {
    const engine = await openEngine({ searchPath: await onPath("any", "vmaf", { link: STAND_IN }) });
    assert.equal(engine.scorer.program, "ffmpeg");
    assert.notEqual(engine.scorer.libvmafVersion, "unknown");
  });

  test("is the given one: a path, or a name on the PATH", async () => {
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
    ["a program that fails without output", "exit 7", /neither an ffmpeg/],
  ] as const) {
    test(`is refused with the reason if it is ${what}`, async () => {
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

  test("is refused by name if it hangs and does not answer", async () => {
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

  test("is refused by name if it does not exist or is not executable", async () => {
    await assert.rejects(
      openEngine({ scorerPath: "/no/such/vmaf" }),
      /\/no\/such\/vmaf is not an executable program/,
    );
    await assert.rejects(
      openEngine({ scorerPath: "no-such-vmaf", searchPath: "/usr/bin" }),
      /no program no-such-vmaf on the PATH/,
    );
  });

  test("is the first on the PATH that can score if none is bundled, unless one before it was killed", async () => {
    // The engine imports only Node.js: a copy of its sources has no packages, so nothing is bundled.
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
    const crashing = await onPath("crashing", "vmaf", { script: "echo 3.0.0; [ $# = 1 ] || kill -SEGV $$" });
    assert.equal((await found(`${crashing}:${able}`)).program, "ffmpeg");
    const killed = await onPath("killed", "vmaf", { script: "echo 3.0.0; [ $# = 1 ] || kill -KILL $$" });
    assert.deepEqual(await found(`${killed}:${able}`), {
      code: "SCORER_FAILED",
      message: `${join(killed, "vmaf")} was killed by SIGKILL.`,
    });
    const none = await found(broken);
    assert.equal(none.code, "SCORER_NOT_FOUND");
    assert.match(none.message, /--vmaf-binary.*Tried: .*broken\/vmaf cannot score/s);
  });

  test("is the installed one without a trial if it is trusted, with the version and models that a trial finds", async () => {
    const [tried, trusted] = [await openEngine(), await openEngine({ trustInstalled: true })];
    assert.deepEqual(trusted.scorer, tried.scorer);
    assert.deepEqual(await trusted.models(), await tried.models());
  });

  test("is refused with the reason after the first score if it was trusted and cannot run", async () => {
    const program = buildFor(PLATFORM)?.program;
    assert.ok(program, "svc installs no scorer on this platform");
    const copy = join(directory, "copy-without-scorer");
    await cp(SOURCES, join(copy, "src"), { recursive: true });
    await writeFile(join(copy, "package.json"), '{"type":"module"}');
    const scorerFolder = join(directory, "installed");
    const scorer = scorerIn(scorerFolder);
    await mkdir(dirname(scorer), { recursive: true });
    await writeFile(scorer, "#!/bin/sh\necho 'Illegal instruction' >&2\nexit 7\n", { mode: 0o755 });
    await truncate(scorer, program.bytes);
    const video = join(directory, "video.mp4");
    await writeFile(video, "video");
    const script = `const { openEngine } = await import(${JSON.stringify(join(copy, "src/engine/open.ts"))});
      const { pairRequest } = await import(${JSON.stringify(join(copy, "src/engine/contract/request.ts"))});
      const [scorerFolder, video] = process.argv.slice(1);
      const engine = await openEngine({ scorerFolder, trustInstalled: true });
      try { await engine.score(pairRequest({ reference: video, distorted: video })); }
      catch (error) { console.log(JSON.stringify({ code: error.code, message: error.message })); }`;
    const args = ["--input-type=module", "-e", script, scorerFolder, video];
    const failure = JSON.parse((await run(process.execPath, args)).stdout);
    assert.equal(failure.code, "SCORER_NOT_FOUND");
    assert.equal(failure.message, `${scorer} cannot score: Illegal instruction`);
  });
});
