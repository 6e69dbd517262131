/**
 * Scores with Netflix's vmaf. It reads y4m and raw video only: a file that is one of
 * these and needs no conversion goes straight in; every other is decoded by ffmpeg
 * into a pipe that vmaf reads.
 */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../platform/failure.ts";
import { decodeFailure, GUARDS, inputFile, Messages, QUIET, STRICT } from "./ffmpeg.ts";
import { isVerbatim, sideChain } from "./graph.ts";
import { SIDES, type Side } from "./request.ts";
import type { ScorerInfo } from "./result.ts";
import { type Exit, inputName } from "./sandbox.ts";
import {
  LIBVMAF_FEATURE,
  LOG_FILE,
  modelFileName,
  modelKey,
  type Run,
  type RunOutcome,
  type Scorer,
} from "./scorer.ts";
import { badModel, killed, linkModels } from "./scorer-ffmpeg.ts";
import type { Trial } from "./trial.ts";
import { readLog } from "./vmaflog.ts";

/** How one side reaches vmaf. */
interface Feed {
  /** File or FIFO in the working directory. */
  readonly name: string;
  /** ffmpeg's command that fills the FIFO; undefined for a file that goes straight in. */
  readonly decoder: readonly string[] | undefined;
}

type Feeds = Readonly<Record<Side, Feed>>;

export class VmafScorer implements Scorer {
  readonly info: ScorerInfo;
  readonly #path: string;
  readonly #ffmpeg: string | undefined;
  readonly #trial: Trial;

  constructor(path: string, ffmpeg: string | undefined, info: ScorerInfo, trial: Trial) {
    this.#path = path;
    this.#ffmpeg = ffmpeg;
    this.info = info;
    this.#trial = trial;
  }

  hasModels(names: readonly string[]): Promise<readonly string[]> {
    return this.#trial.models(names);
  }

  async score(run: Run): Promise<RunOutcome> {
    await linkModels(run);
    const feeds = { reference: feed(run, "reference"), distorted: feed(run, "distorted") };
    await makeFifos(run, feeds);
    const counter = new FrameCounter(run);
    const parts = [
      this.#vmaf(run, feeds),
      ...SIDES.flatMap((side) => {
        const { decoder } = feeds[side];
        return decoder === undefined ? [] : [this.#decode(run, side, decoder, counter)];
      }),
    ];
    await allOrNone(run, parts);
    return outcome(run, feeds, counter);
  }

  async #vmaf(run: Run, feeds: Feeds): Promise<void> {
    const messages = new Messages();
    const exit = await run.sandbox.run({
      program: this.#path,
      args: scoreArguments(run, feeds),
      limits: run.limits,
      onStderr: (line) => messages.read(`[error] ${line}`),
    });
    if (exit.code !== 0) throw failure(run, exit, messages);
  }

  async #decode(run: Run, side: Side, decoder: readonly string[], counter: FrameCounter): Promise<void> {
    if (this.#ffmpeg === undefined) {
      const detail = `The ${side} video must be decoded for vmaf, and there is no ffmpeg to do it. Install ffmpeg, or give y4m or .yuv files.`;
      throw new Failure("SCORER_NOT_FOUND", detail);
    }
    const messages = new Messages();
    const exit = await run.sandbox.run({
      program: this.#ffmpeg,
      args: decoder,
      // The limit is on files; what goes through a pipe does not count, but its size may be far over it.
      limits: run.limits,
      onStdout: (line) => counter.read(side, line),
      onStderr: (line) => messages.read(line),
    });
    // vmaf stops with the shorter side: the decoder of the longer one then writes into nothing.
    if (exit.code !== 0 && !messages.some(/Broken pipe/)) throw decodeFailure(run.sources[side], messages);
  }
}

/**
 * Waits for all, and kills what still runs when one fails: vmaf waits for ever for a
 * writer that never opens its pipe, and so does a decoder for its reader.
 */
async function allOrNone(run: Run, parts: readonly Promise<void>[]): Promise<void> {
  let first: Failure | undefined;
  await Promise.all(
    parts.map((part) =>
      part.catch((error: unknown) => {
        first ??= Failure.from(error);
        run.sandbox.kill();
      }),
    ),
  );
  if (first !== undefined) throw first;
}

async function outcome(run: Run, feeds: Feeds, counter: FrameCounter): Promise<RunOutcome> {
  const log = join(run.sandbox.directory, LOG_FILE);
  const written = await access(log).then(
    () => true,
    () => false,
  );
  if (!written) throw new Failure("MEDIA_NO_FRAMES", "No pair of frames could be decoded.");
  const table = await readLog(log, run.models, run.segment.count);
  const delivered = (side: Side): number => (feeds[side].decoder ? counter.frames[side] : fed(run));
  return { table, delivered: { reference: delivered("reference"), distorted: delivered("distorted") } };
}

/** Frames that a segment is scored from. */
function fed({ segment }: Run): number {
  return segment.before + segment.count + segment.after;
}

/** vmaf prints no progress without a terminal: frames are counted at the decoders, else not at all. */
class FrameCounter {
  readonly frames = { reference: 0, distorted: 0 };
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  read(side: Side, line: string): void {
    if (!line.startsWith("frame=")) return;
    this.frames[side] = Number(line.slice("frame=".length));
    this.#run.onFrames(Math.max(this.frames.reference, this.frames.distorted));
  }
}

function feed(run: Run, side: Side): Feed {
  const track = run.tracks[side];
  if (track.samples !== undefined && isVerbatim(track, run.pairing) && sameKind(run)) {
    return { name: inputName(run.sources[side]), decoder: undefined };
  }
  const name = `${side}.pipe.y4m`;
  const { cut } = run.segment;
  const seek = cut?.[side].seek;
  const decoder = [
    ...QUIET,
    ...["-progress", "pipe:1", "-stats_period", "0.3", "-xerror", "-y"],
    ...[
      ...GUARDS,
      ...STRICT,
      "-reinit_filter",
      "0",
      run.pairing.turn.includes(side) ? "-autorotate" : "-noautorotate",
    ],
    ...track.inputOptions,
    ...(cut ? ["-copyts", "-noaccurate_seek"] : []),
    ...(seek === undefined ? [] : ["-seek_timestamp", "1", "-ss", seek.toFixed(6)]),
    ...inputFile(run.sources[side]),
    ...[
      "-filter_complex",
      `[0:V:0]${sideChain(track, run.pairing, cut?.[side].range)}[out]`,
      "-map",
      "[out]",
    ],
    ...["-fps_mode", "passthrough", "-strict", "-1", "-f", "yuv4mpegpipe", name],
  ];
  return { name, decoder };
}

/** vmaf takes both sides as y4m or both as raw planes. */
function sameKind({ tracks }: Run): boolean {
  return tracks.reference.samples === tracks.distorted.samples;
}

function scoreArguments(run: Run, feeds: Feeds): readonly string[] {
  const straight = SIDES.filter((side) => feeds[side].decoder === undefined);
  const raw = straight.length === SIDES.length && run.tracks.reference.samples === "raw";
  const { segment, pairing, tracks } = run;
  const { chroma, depth } = tracks.reference.pixels;
  const skip = String(segment.first - segment.before);
  return [
    ...["-r", feeds.reference.name, "-d", feeds.distorted.name],
    ...(raw
      ? ["-w", String(pairing.width), "-h", String(pairing.height), "-p", chroma, "-b", String(depth)]
      : []),
    ...run.models.flatMap((model, index) => ["-m", modelOption(model, index)]),
    ...run.features.flatMap((feature) => ["--feature", LIBVMAF_FEATURE[feature]]),
    ...[
      "--csv",
      "-o",
      LOG_FILE,
      "--threads",
      String(run.threads),
      "--subsample",
      String(run.subsample),
      "-q",
    ],
    // A pipe delivers just the frames of the segment; in a file they are counted off.
    ...straight.flatMap((side) => [side === "reference" ? "--frame_skip_ref" : "--frame_skip_dist", skip]),
    ...(straight.length > 0 ? ["--frame_cnt", String(fed(run))] : []),
  ];
}

function modelOption(model: Run["models"][number], index: number): string {
  const source = model.file === undefined ? `version=${model.name}` : `path=${modelFileName(index)}`;
  return `${source}:name=${modelKey(index)}`;
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
    throw new Failure("SCORER_FAILED", "The system made no pipes (mkfifo) for the scorer.");
}

function failure(run: Run, exit: Exit, messages: Messages): Failure {
  if (exit.signal === "SIGSEGV") return crashed(run, messages);
  if (exit.signal !== undefined) return killed(exit.signal, messages);
  if (messages.some(/problem loading model|could not load model|model file/i)) return badModel(run, messages);
  return new Failure("SCORER_FAILED", "vmaf ended with an error; the log has what it said.", {
    found: { exitCode: exit.code },
    cause: messages.text(),
  });
}

/** vmaf 3.2.0 crashes on 8-bit 4:2:2 and on odd sizes. */
function crashed({ pairing }: Run, messages: Messages): Failure {
  const odd = pairing.width % 2 === 1 || pairing.height % 2 === 1;
  const hint =
    odd || pairing.format === "yuv422p"
      ? " vmaf 3.2.0 is known to crash on 8-bit 4:2:2 and on odd sizes: score with an ffmpeg that has libvmaf."
      : "";
  const { width, height, format } = pairing;
  return new Failure("SCORER_FAILED", `vmaf crashed on ${width}x${height} ${format}.${hint}`, {
    found: { width, height, format },
    cause: messages.text(),
  });
}
