/**
 * Decodes a side a second time, where its decoder can leave a part of a picture as its memory was
 * (docs/adr/0027-decode-twice.md). That memory holds another picture when other threads decode, so pictures that
 * differ are pictures that were not completed.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../platform/failure.ts";
import { errorCode } from "../platform/thrown.ts";
import { refuseFailedDecode } from "./blame.ts";
import { EVERY_FRAME, QUIET } from "./ffmpeg.ts";
import { sideChain } from "./graph.ts";
import { inputArguments } from "./input.ts";
import { decodeLimits } from "./limits.ts";
import { Messages } from "./messages.ts";
import type { ProbeContext } from "./probe.ts";
import { SIDES, type Side } from "./request.ts";
import { Sandbox } from "./sandbox.ts";
import type { Run } from "./scorer.ts";
import { quote } from "./source.ts";
import { bothSides } from "./together.ts";
import type { Track } from "./track.ts";

/** A checksum (Adler-32) of all pictures of a side; undefined for a self-checking side, which needs none. */
export type Checksums = Readonly<Record<Side, string | undefined>>;

type Decoded = Pick<Run, "tracks" | "sources" | "pairing" | "segment">;

/** Bytes of a checksum's file: "CRC=0x12345678" and a line's end. */
const CHECKSUM_BYTES = 64;

/** Threads that a side is scored with: at least two where it is decoded again by one. */
export function scoringThreads({ selfChecking }: Track, threads: number): readonly string[] {
  return selfChecking ? [] : ["-threads", String(Math.max(2, threads))];
}

/** The output that takes a side's pictures: their checksum where one is needed, else nothing but their number. */
export function pictureOutput(track: Track, side: Side): readonly string[] {
  return track.selfChecking ? ["-f", "null", "-"] : ["-f", "crc", fileName(side)];
}

/** The checksums that pictureOutput wrote. */
export async function readChecksums({ directory }: Sandbox, tracks: Run["tracks"]): Promise<Checksums> {
  const read = (side: Side) =>
    tracks[side].selfChecking ? undefined : readChecksum(join(directory, fileName(side)));
  const [reference, distorted] = await Promise.all([read("reference"), read("distorted")]);
  return { reference, distorted };
}

/** Decodes every side again that is not self-checking, as for scoring but by one thread. */
export function decodeAgain(decoded: Decoded, context: ProbeContext): Promise<Checksums> {
  return bothSides(context.signal, async (side, signal) =>
    decoded.tracks[side].selfChecking ? undefined : checksumOf(decoded, side, { ...context, signal }),
  );
}

async function checksumOf(decoded: Decoded, side: Side, context: ProbeContext): Promise<string | undefined> {
  const { tracks, sources, pairing, segment } = decoded;
  // Without an ffmpeg nothing was decoded the first time.
  if (context.ffmpeg === undefined)
    throw new Failure("SCORER_NOT_FOUND", "There is no ffmpeg to decode with.");
  const messages = new Messages();
  await using sandbox = Sandbox.open({ ...context, sources: [sources[side]] });
  const chain = sideChain(tracks[side], pairing, segment.cut?.[side].range);
  const exit = await sandbox.run({
    program: context.ffmpeg,
    args: [
      ...[...QUIET, "-xerror", "-threads", "1", ...inputArguments(decoded, side)],
      ...["-filter_complex", `[0:V:0]${chain}[pictures]`, "-map", "[pictures]"],
      ...[...EVERY_FRAME, ...pictureOutput(tracks[side], side)],
    ],
    limits: { ...decodeLimits(tracks[side]), fileBytes: CHECKSUM_BYTES },
    onStderr: (line) => messages.read(line),
  });
  refuseFailedDecode(sources[side], exit, messages);
  return await readChecksum(join(sandbox.directory, fileName(side)));
}

/** Refuses a side whose two decodings are not of the same pictures. */
export function refuseUnstable(
  { tracks, sources }: Pick<Decoded, "tracks" | "sources">,
  first: Checksums,
  second: Checksums,
): void {
  for (const side of SIDES) {
    if (tracks[side].selfChecking) continue;
    if (first[side] === undefined || second[side] === undefined)
      throw new Failure("SCORER_FAILED", `The decoder wrote no checksum of the ${side} video's pictures.`);
    if (first[side] === second[side]) continue;
    throw new Failure(
      "MEDIA_CORRUPT",
      `The ${side} file ${quote(sources[side].asked)} is damaged: parts of its pictures are missing, and differ each time it is decoded.`,
      { found: { side } },
    );
  }
}

function fileName(side: Side): string {
  return `${side}.crc`;
}

/** undefined: none was written. */
async function readChecksum(path: string): Promise<string | undefined> {
  const text = await readFile(path, "latin1").catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT") throw error;
    return "";
  });
  return /^CRC=(0x[0-9a-f]{8})$/m.exec(text)?.[1];
}
