/**
 * Checks the command line that the engine relies on: of the stand-in, or of the real tool if SVC_TEST_VMAF names it.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { builtInModelTexts } from "../media/models.ts";
import { decode, type Planes, pick, truthOf } from "../media/truth.ts";

const run = promisify(execFile);
const STANDIN = fileURLToPath(new URL("./vmaf", import.meta.url));
const TOOLS = [STANDIN, process.env["SVC_TEST_VMAF"]].filter((tool) => tool !== undefined);

interface Log {
  readonly version: string;
  readonly frames: readonly { readonly frameNum: number; readonly metrics: Record<string, number> }[];
}

for (const tool of TOOLS) {
  describe(tool === STANDIN ? "the stand-in for vmaf" : "the real vmaf", () => {
    let media: MediaDirectory;
    let reference: string;
    let distorted: string;
    let planes: readonly [Planes, Planes];
    const oracle = tool === STANDIN ? undefined : tool;

    before(async () => {
      media = await MediaDirectory.open();
      reference = await pristine(media);
      const coded = await encode(media, "coded.mp4", {}, LOSSY.h264);
      distorted = media.file("distorted.y4m");
      await ffmpeg(["-i", coded, "-f", "yuv4mpegpipe", distorted]);
      planes = [await decode(media, reference, SCENE), await decode(media, coded, SCENE)];
    });
    after(() => media.remove());

    async function score(...args: readonly string[]): Promise<Log["frames"]> {
      const output = media.file("log.json");
      await run(tool, [...args, "--json", "-o", output]);
      return (JSON.parse(await readFile(output, "utf8")) as Log).frames;
    }

    const pair = (): string[] => ["--reference", reference, "--distorted", distorted];

    test("scores y4m files exactly as the oracle does", async () => {
      const truth = await truthOf(...planes, { oracle });
      const frames = await score(...pair(), "--threads", "2", "-q");
      assert.deepEqual(
        frames.map(({ metrics }) => metrics),
        truth.rows.map(({ metrics }) => metrics),
      );
    });

    test("scores raw files, models by version and by file, and features", async () => {
      const modelFile = media.file("model0.json");
      const [text = ""] = await builtInModelTexts();
      await writeFile(modelFile, text);
      const frames = await score(
        ...["-r", planes[0].path, "-d", planes[1].path, "-w", "192", "-h", "108", "-p", "420", "-b", "8"],
        ...["-m", "version=vmaf_v0.6.1neg:name=m0", "-m", `path=${modelFile}:name=m1`],
        ...["--feature", "psnr", "--feature", "float_ssim", "--subsample", "3"],
      );
      assert.deepEqual(
        frames.map(({ frameNum }) => frameNum),
        [0, 3, 6, 9, 12, 15, 18, 21, 24, 27],
      );
      for (const metric of ["m0", "m1", "psnr_y", "float_ssim"])
        assert.ok(metric in (frames[0]?.metrics ?? {}), metric);
    });

    test("reads pipes while they are written", async () => {
      const pipes = [media.file("r.fifo"), media.file("d.fifo")] as const;
      execFileSync("mkfifo", pipes);
      const writers = [reference, distorted].map((file, index) =>
        ffmpeg(["-f", "yuv4mpegpipe", "-i", file, "-f", "yuv4mpegpipe", pipes[index] ?? ""]),
      );
      const frames = await score("-r", pipes[0], "-d", pipes[1]);
      await Promise.all(writers);
      assert.equal(frames.length, SCENE.frames);
    });

    test("writes csv, and the version in every log", async () => {
      const output = media.file("log.csv");
      await run(tool, [...pair(), "--csv", "--output", output]);
      const [header = "", ...rows] = (await readFile(output, "utf8")).trimEnd().split("\n");
      assert.match(header, /^Frame,.*vmaf,$/);
      assert.equal(rows.length, SCENE.frames);
      const { stderr } = await run(tool, ["--version"]);
      await run(tool, [...pair(), "--json", "--output", output]);
      assert.equal((JSON.parse(await readFile(output, "utf8")) as Log).version, stderr.trim());
    });

    test("ends at the shorter side, with status 0", async () => {
      const short = media.file("short.y4m");
      await ffmpeg(["-i", reference, "-frames:v", "11", "-f", "yuv4mpegpipe", short]);
      const frames = await score("-r", short, "-d", distorted);
      const truth = await truthOf(
        await pick(planes[0], { count: 11 }),
        await pick(planes[1], { count: 11 }),
        { oracle },
      );
      assert.deepEqual(
        frames.map(({ metrics }) => metrics),
        truth.rows.map(({ metrics }) => metrics),
      );
    });

    test("fails with a non-zero status for unsupported arguments", async () => {
      const small = media.file("small.y4m");
      await ffmpeg(["-i", reference, "-s", "96x54", "-f", "yuv4mpegpipe", small]);
      const deep = media.file("deep.y4m");
      await ffmpeg(["-i", reference, "-pix_fmt", "yuv420p10le", "-f", "yuv4mpegpipe", "-strict", "-1", deep]);
      for (const args of [
        [],
        ["-r", reference],
        ["-r", reference, "-d", media.file("missing.y4m")],
        ["-r", reference, "-d", small],
        ["-r", reference, "-d", deep],
        [...pair(), "-m", "version=vmaf_v9"],
        [...pair(), "-m", "path=/missing.json"],
        [...pair(), "-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg"],
        [...pair(), "--feature", "nonsense"],
        ["-r", planes[0].path, "-d", planes[1].path],
        ["-r", planes[0].path, "-d", planes[1].path, "-w", "192"],
      ]) {
        await assert.rejects(
          run(tool, args),
          (error: { code?: number }) => (error.code ?? 0) > 0,
          args.join(" "),
        );
      }
    });
  });
}
