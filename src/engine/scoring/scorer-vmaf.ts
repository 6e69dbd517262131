/**
 * Scores with Netflix's vmaf, which reads only y4m and raw video. It reads such a file directly if no conversion is
 * needed; every other file is decoded by ffmpeg into a pipe that vmaf reads.
 */
import { join } from "node:path";
import { Failure } from "../../platform/failure.ts";
import { type Feature, perSide, SIDES, type Side } from "../contract/request.ts";
import type { ScorerInfo } from "../contract/result.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import { blame, killed, refuseBrokenRun, refuseFailedDecode, SIZE_CHANGES } from "../media/decode-errors.ts";
import { framesIn, withGraphFile } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import type { Exit } from "../sandbox/sandbox.ts";
import { readChecksums } from "./decode-check.ts";
import { joinPasses, type Pass, passesOf } from "./passes.ts";
import type { Run, RunOutcome } from "./run.ts";
import type { Scorer } from "./scorer.ts";
import { badModel, linkModels, noLog } from "./scorer-ffmpeg.ts";
import type { Trial } from "./trial.ts";
import { type Feeds, fed, feed, scoreArguments } from "./vmaf-command.ts";
import { isWritten, readLog } from "./vmaf-log.ts";

export class VmafScorer implements Scorer {
  readonly info: ScorerInfo;
  readonly path: string;
  readonly #ffmpeg: string | undefined;
  readonly #trial: Trial;

  constructor(path: string, ffmpeg: string | undefined, info: ScorerInfo, trial: Trial) {
    this.path = path;
    this.#ffmpeg = ffmpeg;
    this.info = info;
    this.#trial = trial;
  }

  confirm(): Promise<void> {
    return this.#trial.confirm();
  }

  hasModels(names: readonly string[]): Promise<readonly string[]> {
    return this.#trial.models(names);
  }

  hasFeature(feature: Feature): Promise<boolean> {
    return Promise.resolve(feature !== "xpsnr");
  }

  async score(run: Run): Promise<RunOutcome> {
    linkModels(run);
    const passes = passesOf(run);
    const tables: FrameTable[] = [];
    const counted: RunOutcome["delivered"][] = [];
    for (const pass of passes) {
      const { table, delivered } = await this.#pass(run, pass, passes.length);
      tables.push(table);
      counted.push(delivered);
    }
    return {
      table: joinPasses(tables, passes, run.models),
      delivered: perSide((side) => sameCount(counted.map((delivered) => delivered[side]))),
      checksums: await readChecksums(run),
      changes: undefined,
    };
  }

  async #pass(run: Run, pass: Pass, passes: number): Promise<Pick<RunOutcome, "table" | "delivered">> {
    const feeds = perSide((side) => feed(run, pass, side));
    await makeFifos(run, feeds);
    const counter = new FrameCounter((frames) =>
      run.onFrames(Math.floor((pass.index * fed(run) + frames) / passes)),
    );
    const decoders = SIDES.flatMap((side) => {
      const { decoder } = feeds[side];
      return decoder === undefined ? [] : [this.#decode(run, side, decoder, counter)];
    });
    await allOrNone(run, this.#vmaf(run, pass, feeds), decoders);
    const delivered = perSide((side) => (feeds[side].decoder ? counter.counted(side) : fed(run)));
    const log = join(run.sandbox.directory, pass.log);
    if (!(await isWritten(log))) throw noLog(delivered);
    return { table: await readLog(log, pass.models, run.segment.count), delivered };
  }

  async #vmaf(run: Run, pass: Pass, feeds: Feeds): Promise<void> {
    const messages = new Messages();
    const exit = await run.sandbox.run({
      program: this.path,
      args: scoreArguments(run, pass, feeds),
      limits: run.limits,
      onStderr: (line) => messages.read(`[error] ${line}`),
    });
    if (exit.code !== 0) throw failure(run, exit, messages);
  }

  async #decode(run: Run, side: Side, decoder: readonly string[], counter: FrameCounter): Promise<void> {
    if (this.#ffmpeg === undefined) {
      const detail = `The ${side} video must be decoded for vmaf, but there is no ffmpeg. Install ffmpeg, or use y4m or .yuv files.`;
      throw new Failure("SCORER_NOT_FOUND", detail);
    }
    const messages = new Messages();
    const exit = await run.sandbox.run({
      program: this.#ffmpeg,
      ...withGraphFile(decoder, side),
      // The file size limit does not apply to pipes, through which far more bytes may pass.
      limits: run.limits,
      onStdout: (line) => counter.read(side, line),
      onStderr: (line) => messages.read(line),
    });
    refuseBrokenRun(exit, messages);
    if (messages.sizeChange !== undefined) throw blame(run.sources[side], SIZE_CHANGES, messages);
    // vmaf stops at the end of the shorter side: the decoder of the longer one then gets a broken pipe.
    const isLonger = messages.some(/Broken pipe/);
    refuseFailedDecode(run.sources[side], isLonger ? { ...exit, code: 0 } : exit, messages);
  }
}

/**
 * Milliseconds that decoders have to exit and report their own error after vmaf has failed: on a stalled
 * machine, a decoder may report a damaged file seconds after vmaf fails.
 */
const GRACE_MS = 10_000;

/**
 * Waits for all programs. Kills the others when a decoder fails, or GRACE_MS after vmaf fails: vmaf waits forever for a
 * writer that never opens its pipe, and so does a decoder for its reader.
 */
async function allOrNone(run: Run, vmaf: Promise<void>, decoders: readonly Promise<void>[]): Promise<void> {
  const failures: Failure[] = [];
  let grace: NodeJS.Timeout | undefined;
  const kill = () => run.sandbox.kill();
  await Promise.all([
    vmaf.catch((error: unknown) => {
      failures.push(Failure.from(error));
      grace = setTimeout(kill, GRACE_MS);
    }),
    ...decoders.map((decoder) =>
      decoder.catch((error: unknown) => {
        failures.push(Failure.from(error));
        kill();
      }),
    ),
  ]);
  clearTimeout(grace);
  // If media do not decode, vmaf gets no frames: report the cause, not the consequence.
  const cause = failures.find((failure) => failure.kind === "media") ?? failures[0];
  if (cause) throw cause;
}

/** Returns the number of frames that every pass decoded. Throws SCORER_FAILED if they differ. */
function sameCount(counts: readonly number[]): number {
  const [first = 0] = counts;
  if (counts.every((count) => count === first)) return first;
  const detail = `Decoding the same file repeatedly gave different numbers of frames: ${counts.join(", ")}.`;
  throw new Failure("SCORER_FAILED", detail);
}

/**
 * Counts frames at the decoders, because vmaf prints no progress without a terminal. Without a decoder there is no
 * count.
 */
class FrameCounter {
  readonly #frames: Partial<Record<Side, number>> = {};
  readonly #onFrames: (frames: number) => void;

  constructor(onFrames: (frames: number) => void) {
    this.#onFrames = onFrames;
  }

  read(side: Side, line: string): void {
    const frames = framesIn(line);
    if (frames === undefined) return;
    this.#frames[side] = frames;
    this.#onFrames(Math.max(...Object.values(this.#frames)));
  }

  /** Returns the final count of the side's decoder. */
  counted(side: Side): number {
    const frames = this.#frames[side];
    if (frames !== undefined) return frames;
    const detail = `The decoder of the ${side} video exited without an error but did not report how many frames it read.`;
    throw new Failure("SCORER_FAILED", detail);
  }
}

async function makeFifos(run: Run, feeds: Feeds): Promise<void> {
  const names = SIDES.filter((side) => feeds[side].decoder).map((side) => feeds[side].name);
  if (names.length === 0) return;
  const exit = await run.sandbox.run({
    program: "mkfifo",
    args: ["-m", "600", ...names],
    limits: run.limits,
  });
  if (exit.code !== 0)
    throw new Failure("SCORER_FAILED", "The pipes for the scorer could not be created (mkfifo).");
}

function failure(run: Run, exit: Exit, messages: Messages): Failure {
  if (exit.signal === "SIGSEGV") return crashed(run, messages);
  if (exit.signal !== undefined) return killed(exit.signal, messages);
  if (messages.some(/problem loading model|could not load model|model file/i)) return badModel(run, messages);
  return new Failure("SCORER_FAILED", "vmaf exited with an error; the log has its messages.", {
    found: { exitCode: exit.code },
    cause: messages.text(),
  });
}

/** The failure of a crash, with a hint: vmaf 3.2.0 crashes on 8-bit 4:2:2 and on odd sizes. */
function crashed({ pairing }: Run, messages: Messages): Failure {
  const odd = pairing.width % 2 === 1 || pairing.height % 2 === 1;
  const hint =
    odd || pairing.format === "yuv422p"
      ? " vmaf 3.2.0 is known to crash on 8-bit 4:2:2 and on odd sizes: score with an ffmpeg that has libvmaf."
      : "";
  const { width, height, format } = pairing;
  return new Failure("SCORER_FAILED", `vmaf crashed on ${width}x${height} ${format}.${hint}`, {
    found: { signal: "SIGSEGV", width, height, format },
    cause: messages.text(),
  });
}
