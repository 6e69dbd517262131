/**
 * Reads the facts about the video track from a file's header, without reading the rest of the file, for
 * people who choose a file. No score depends on them; probing (media/probe.ts) lists every packet.
 */
import { rateOf } from "../jobs/frame-rate.ts";
import { Failure } from "../platform/failure.ts";
import type { OpenRemote } from "./contract/work.ts";
import { united } from "./coverage/ranges.ts";
import type { MediaRoots } from "./files/roots.ts";
import { openRemote, openSource, type Source } from "./files/source.ts";
import { GUARDS, inputFile, QUIET } from "./media/ffmpeg.ts";
import { LIST_PACKETS } from "./media/packets.ts";
import { readLayout } from "./mp4/layout.ts";
import { decoderOf, findCandidates } from "./programs/candidates.ts";
import type { ProgramPlaces } from "./programs/places.ts";
import { networkIsolation } from "./sandbox/network.ts";
import { type Limits, Sandbox } from "./sandbox/sandbox.ts";

/** Time limit for a file in milliseconds; reading a header takes about ten. */
const TIMEOUT_MS = 3_000;
const LIMITS: Limits = { memoryBytes: 2 * 2 ** 30, cpuSeconds: 3, fileBytes: 0 };
/** Limit of lines that are read; later ones have no further facts. */
const MAX_LINES = 2_000;

/** Bytes that are fetched at each end of a remote video. */
const END_BYTES = 2 ** 20;

/** The facts in a header. */
export interface Header {
  readonly codec: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Seconds; undefined if not stated. */
  readonly duration: number | undefined;
  /** Frames per second, to two decimals; undefined if not stated. */
  readonly frameRate: number | undefined;
}

/** A file inside media roots, or a video that is fetched to disk. */
export type ListedVideo = { readonly name: string } & (
  | { readonly roots: MediaRoots }
  | { readonly open: OpenRemote }
);

/**
 * Returns the header of a video; undefined if ffmpeg finds none, or takes too long. Throws PATH_NOT_ALLOWED,
 * MEDIA_NOT_READABLE and the like for a file, the failures of fetching a video, and the reason of the signal.
 */
export type ReadHeader = (video: ListedVideo, signal: AbortSignal) => Promise<Header | undefined>;

/** Finds an ffmpeg; undefined if there is none. */
export async function openHeaders(places: ProgramPlaces): Promise<ReadHeader | undefined> {
  const ffmpeg = decoderOf(await findCandidates(places));
  if (ffmpeg === undefined) return undefined;
  const isolation = await networkIsolation();
  return (video, signal) => readHeader({ ffmpeg, isolation }, video, signal);
}

interface Programs {
  readonly ffmpeg: string;
  readonly isolation: readonly string[];
}

async function readHeader(
  { ffmpeg, isolation }: Programs,
  video: ListedVideo,
  signal: AbortSignal,
): Promise<Header | undefined> {
  await using source =
    "open" in video
      ? await openRemote("reference", video.name, video.open, signal)
      : await openSource("reference", video.name, video.roots);
  await fetchHead(source);
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const lines = new HeaderLines();
  try {
    await using sandbox = Sandbox.open({
      ...{ sources: [source], isolation },
      signal: AbortSignal.any([signal, late]),
    });
    const { code } = await sandbox.run({
      program: ffmpeg,
      args: [
        ...[...QUIET, ...GUARDS, "-threads", "1", ...inputFile(source)],
        ...[...LIST_PACKETS, "-frames:v", "1", "-f", "framecrc", "pipe:1"],
      ],
      limits: LIMITS,
      onStdout: (line) => lines.readPacket(line),
      onStderr: (line) => lines.readMessage(line),
    });
    return code === 0 ? lines.finish() : undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    if (late.aborted) return undefined;
    throw Failure.from(thrown);
  }
}

/**
 * Fetches the bytes that ffmpeg needs to open a video: both of its ends, and the index of an MP4 if it is
 * elsewhere.
 */
async function fetchHead(source: Source): Promise<void> {
  const { fetch, size } = source;
  if (fetch === undefined) return;
  const ends = [
    { first: 0, last: END_BYTES - 1 },
    { first: Math.max(0, size - END_BYTES), last: size - 1 },
  ];
  await fetch(united(ends, size - 1));
  if (size > 2 * END_BYTES) await readLayout(source);
}

/**
 * Parses the lines that ffmpeg prints. Codec, size and rate come from lines that repeat no text of the file; only the
 * duration is among lines with the file's metadata.
 */
export class HeaderLines {
  #codec = "";
  #size: { readonly width: number; readonly height: number } | undefined;
  #duration: number | undefined;
  #frameRate: number | undefined;
  #isOutput = false;
  #lines = 0;

  readPacket(line: string): void {
    this.#codec ||= /^#codec_id 0: ([a-z0-9_]{1,40})$/.exec(line)?.[1] ?? "";
    const [, width, height] = /^#dimensions 0: (\d{1,6})x(\d{1,6})$/.exec(line) ?? [];
    if (width !== undefined) this.#size = { width: Number(width), height: Number(height) };
  }

  readMessage(line: string): void {
    if (this.#lines++ > MAX_LINES) return;
    if (line.startsWith("[info] Output #0, framecrc,")) this.#isOutput = true;
    if (this.#isOutput) {
      const rate = /^\[info\] {3}Stream #0:0[^:]*: Video: .* (\d{1,6}(?:\.\d+)?)(k?) fps,/.exec(line);
      if (rate) this.#frameRate = rateOf(String(Number(rate[1]) * (rate[2] === "k" ? 1000 : 1)));
      return;
    }
    const [, hours, minutes, seconds] =
      /^\[info\] {3}Duration: (\d{1,6}):(\d\d):(\d\d\.\d\d), /.exec(line) ?? [];
    if (hours === undefined) return;
    this.#duration = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  }

  finish(): Header | undefined {
    if (this.#codec === "" || this.#size === undefined) return undefined;
    return { codec: this.#codec, ...this.#size, duration: this.#duration, frameRate: this.#frameRate };
  }
}
