/** Probes a file: its video track and its size, rate, depth and frames. */
import { Failure } from "../../platform/failure.ts";
import type { PairRequest } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import { quote, type Source } from "../files/source.ts";
import { PROBE_LIMITS } from "../sandbox/limits.ts";
import { type Exit, Sandbox } from "../sandbox/sandbox.ts";
import { ContentList, FRAME_HASH, PLACE_LIST } from "./content.ts";
import { damaged, openFailure, refuseBrokenRun } from "./decode-errors.ts";
import { GUARDS, inputFile, QUIET, SHOW_FIRST_FRAME } from "./ffmpeg.ts";
import { type Picture, PictureReader } from "./first-frame.ts";
import { Messages } from "./messages.ts";
import { LIST_PACKETS, PacketList } from "./packets.ts";
import { type PixelFormat, pixelFormat } from "./pixels.ts";
import type { DecodeContext, ProbeContext } from "./probe-context.ts";
import { isRaw, probeRaw } from "./raw.ts";
import { isSelfChecking } from "./self-checking.ts";
import { framesText, type Track } from "./track.ts";
import { IGNORE_EDIT_LISTS } from "./track-options.ts";
import { isY4m, probeY4m } from "./y4m.ts";

/** Probes a file. Throws a Failure if it cannot be scored. */
export async function probe(source: Source, request: PairRequest, context: ProbeContext): Promise<Track> {
  if (await isY4m(source)) return probeY4m(source, context.signal);
  if (isRaw(source)) return probeRaw(source, request.rawVideo);
  const found = await inspect(source, context, request.editLists === "IGNORE");
  return {
    ...toTrack(source, found),
    selfChecking: await isSelfChecking(source, found.packets.codec, context),
  };
}

interface Found {
  readonly format: string;
  readonly packets: PacketList;
  readonly picture: Picture;
  /** Number of frames that the ignored edit list would hide; undefined if edit lists are applied. */
  readonly ignored: number | undefined;
}

/** Only MP4 has edit lists: only its demuxer has the option to ignore them. */
const MOV = "mov,mp4,m4a,3gp,3g2,mj2";

async function inspect(source: Source, context: ProbeContext, ignoreEditLists: boolean): Promise<Found> {
  const played = await list(source, context, []);
  if (!ignoreEditLists || played.format !== MOV) return played;
  const coded = await list(source, context, IGNORE_EDIT_LISTS);
  return { ...coded, ignored: coded.packets.coded - (played.packets.coded - played.packets.hidden) };
}

/**
 * Decodes only key frames. Without this, a decoder decodes beyond the first frame, which for a master of 12
 * Mbit/s takes half of a probe's time.
 */
const KEY_FRAMES: readonly string[] = ["-skip_frame", "nokey"];

/**
 * Lists the packets of the video track with checksums, a second time with hashes if the context asks for
 * them, and, for a fetched video, a third time with positions. Also decodes the first key frame, or the first
 * frame if no key frame decodes or plays.
 */
async function list(source: Source, context: ProbeContext, options: readonly string[]): Promise<Found> {
  const { ffmpeg } = context;
  if (ffmpeg === undefined) {
    throw new Failure(
      "SCORER_NOT_FOUND",
      `The ${source.side} file ${quote(source.asked)} must be decoded, but there is no ffmpeg. Install ffmpeg, or use y4m or .yuv files.`,
    );
  }
  const quick = await read(source, { ...context, ffmpeg }, [...KEY_FRAMES, ...options]);
  // Without a video track the option is an error, so a refusal must be based on a run without it.
  const lacksPicture = quick.exit.code !== undefined && quick.shown === undefined;
  const listed = lacksPicture ? await read(source, { ...context, ffmpeg }, options) : quick;
  const { exit, packets, picture, messages, shown } = listed;
  refuseBrokenRun(exit, messages);
  // Only a program that could open the file proves that the file has no frames, or none that decode.
  const isRead = exit.code === 0 && picture.format !== "";
  if (isRead && packets.coded === 0) throw noFrames(source);
  if (isRead && !shown) throw damaged(source, messages);
  if (!isRead || !shown) throw openFailure(source, exit, messages);
  return { format: picture.format, packets, picture: shown, ignored: undefined };
}

interface Listed {
  readonly exit: Exit;
  readonly packets: PacketList;
  readonly picture: PictureReader;
  readonly messages: Messages;
  readonly shown: Picture | undefined;
}

function read(source: Source, context: DecodeContext, options: readonly string[]): Promise<Listed> {
  const packets = new PacketList(context.hashPackets ? new ContentList() : undefined);
  const hashes = packets.content === undefined ? [] : [...LIST_PACKETS, ...FRAME_HASH, "pipe:1"];
  const isFetched = source.fetch !== undefined;
  const places =
    packets.content === undefined || !isFetched ? [] : [...LIST_PACKETS, ...PLACE_LIST, "pipe:1"];
  const lists = [...LIST_PACKETS, "-f", "framecrc", "pipe:1", ...hashes, ...places];
  return readFirst(source, context, { options, packets, lists });
}

interface Reading {
  readonly options: readonly string[];
  readonly packets: PacketList;
  /** Outputs that list packets. */
  readonly lists: readonly string[];
}

/** Decodes the first frame, and lists packets. */
async function readFirst(
  source: Source,
  context: DecodeContext,
  { options, packets, lists }: Reading,
): Promise<Listed> {
  const picture = new PictureReader();
  const messages = new Messages();
  await using sandbox = Sandbox.open({ ...context, sources: [source] });
  const exit = await sandbox.run({
    program: context.ffmpeg,
    args: [
      ...QUIET,
      ...[...GUARDS, ...options, "-threads", "1", "-noautorotate", "-copyts", ...inputFile(source)],
      ...lists,
      ...SHOW_FIRST_FRAME,
    ],
    limits: PROBE_LIMITS,
    onStdout: (line) => packets.read(line),
    onStderr: (line) => {
      packets.content?.describe(line);
      picture.read(line);
      messages.read(line);
    },
  });
  return { exit, packets, picture, messages, shown: exit.code === 0 ? picture.finish() : undefined };
}

/**
 * Probes a file whose packets were listed by its index. Only the bytes of its first packets need to be
 * fetched. Returns undefined if its first frame does not decode.
 */
export async function probeListed(
  source: Source,
  packets: PacketList,
  context: DecodeContext,
): Promise<Track | undefined> {
  const { shown, picture } = await readFirst(source, context, { options: [], packets, lists: [] });
  if (shown === undefined) return undefined;
  const track = toTrack(source, { format: picture.format, packets, picture: shown, ignored: undefined });
  return { ...track, selfChecking: await isSelfChecking(source, packets.codec, context) };
}

/** Elementary streams have no times: the rate that the demuxer reports for them is a guess. */
const GUESSED_RATE =
  /^(h264|hevc|vvc|evc|m4v|mpegvideo|obu|av1|vc1|dirac|mjpeg|h263|avs2|avs3|cavsvideo|dnxhd)$/;
/** For one or two frames in an MPEG-2 systems stream, ffmpeg reports twice the rate: that of the fields. */
const MPEG_SYSTEMS = /^mpeg(ts)?$/;
const FEWEST_FRAMES_WITH_RATE = 3;

function isGuessed(format: string, frames: number): boolean {
  return GUESSED_RATE.test(format) || (MPEG_SYSTEMS.test(format) && frames < FEWEST_FRAMES_WITH_RATE);
}

function toTrack(source: Source, found: Found): Omit<Track, "selfChecking"> {
  const { packets, picture } = found;
  const hidden = packets.hidden;
  if (packets.coded === hidden) throw noFrames(source);
  const frames = packets.coded - hidden;
  const times = packets.times();
  return {
    side: source.side,
    container: containerName(found.format, source.extension),
    codec: packets.codec,
    encoder: picture.encoder,
    width: picture.width,
    height: picture.height,
    sampleAspect: picture.sampleAspect,
    pixels: supported(source, picture.pixelFormat),
    range: picture.range,
    transfer: picture.transfer,
    primaries: picture.primaries,
    rotation: picture.rotation,
    rate: isGuessed(found.format, frames) ? undefined : picture.rate,
    frames,
    hidden,
    videoBytes: packets.bytes,
    times,
    uncuttable: uncuttable(found, times !== undefined),
    ignoresEditList: found.ignored !== undefined,
    samples: undefined,
    straight: false,
    content: packets.content?.finish(),
    warnings: editListWarnings(source, found),
  };
}

/** Containers in which seeking to a time was verified to land before it (docs/exactness.md). */
const SEEKABLE = new Set([MOV, "matroska,webm", "mpegts", "flv", "mxf"]);

/**
 * Returns why a frame range of this file, decoded alone, may give other frames than a whole run; undefined if
 * it gives the same.
 */
function uncuttable(found: Found, timed: boolean): string | undefined {
  const { format, packets } = found;
  if (!SEEKABLE.has(format)) return `${format || "its container"} does not support exact seeking by time`;
  if (!timed) return "some of its frames have no presentation time of their own";
  if (packets.hidden > 0) return "an edit list hides some of its frames";
  if (found.ignored) return "its edit list is ignored";
  if (packets.codec === "h264" && packets.openGop)
    return "H.264 with open GOPs does not decode from the middle without errors";
  // Its seeks land between key frames, and these decoders report the references that are missing there.
  if (format === "mpegts" && (packets.codec === "h264" || packets.codec === "hevc"))
    return `${packets.codec === "h264" ? "H.264" : "HEVC"} in MPEG-TS does not decode from the middle without errors`;
  return undefined;
}

function editListWarnings(source: Source, { packets, ignored }: Found): readonly Warning[] {
  const { coded, hidden } = packets;
  if (ignored) {
    const message = `The ${source.side} file's edit list hides ${ignored} of its ${coded} coded frames; it was ignored, as requested, and all frames are scored.`;
    return [{ code: "EDIT_LIST_IGNORED", message }];
  }
  if (hidden === 0) return [];
  const message = `The ${source.side} file's edit list hides ${hidden} of its ${coded} coded frames; the remaining ${framesText(coded - hidden)} are scored.`;
  return [{ code: "EDIT_LIST_HIDES_FRAMES", message }];
}

function supported(source: Source, name: string): PixelFormat {
  const format = pixelFormat(name);
  if (format) return format;
  throw new Failure(
    "PIXEL_FORMAT_UNSUPPORTED",
    `The ${source.side} file ${quote(source.asked)} has the pixel format ${name}. Only YUV and RGB formats with 8 to 16 bits can be scored.`,
    { found: { [source.side]: { pixelFormat: name } } },
  );
}

function noFrames(source: Source): Failure {
  return new Failure(
    "MEDIA_NO_FRAMES",
    `The ${source.side} file ${quote(source.asked)} has a video track without frames.`,
    {
      found: { [source.side]: { frames: 0 } },
    },
  );
}

/** Reduces a demuxer's list of names to one: "mov,mp4,m4a,3gp,3g2,mj2" is mov for the extension .mov, else mp4. */
function containerName(format: string, extension: string): string {
  if (format === MOV) return extension === "mov" ? "mov" : "mp4";
  if (format === "matroska,webm") return extension === "webm" ? "webm" : "matroska";
  return format;
}
