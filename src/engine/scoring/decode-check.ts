/**
 * Decodes a side a second time if its decoder can leave part of a picture unwritten, with the previous content of its
 * memory (docs/adr/0027-decode-twice.md). That content differs when other threads decode, so pictures that differ
 * between the two decodings were not completed.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { SIDES, type Side } from "../contract/request.ts";
import type { Compared } from "../decoding/compared.ts";
import { decodedChain } from "../decoding/graph.ts";
import { inputArguments } from "../decoding/input.ts";
import { nameOf, quote, type Source } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { refuseFailedDecode } from "../media/decode-errors.ts";
import { EVERY_FRAME, QUIET, withGraphFile } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import type { ProbeContext } from "../media/probe-context.ts";
import type { Track } from "../media/track.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import type { Checksums, Run } from "./run.ts";

/** Limit of a checksum file in bytes; it holds "CRC=0x12345678" and a newline. */
const CHECKSUM_BYTES = 64;

/**
 * Options for the threads of a decoder while scoring: at least two if the side is decoded a second time,
 * which uses one thread.
 */
export function scoringThreads({ selfChecking }: Track, threads: number): readonly string[] {
  return selfChecking ? [] : ["-threads", String(Math.max(2, threads))];
}

/** Returns the output for a side's pictures: it writes their checksum if one is needed, else it only counts them. */
export function pictureOutput(track: Track, source: Source): readonly string[] {
  return track.selfChecking ? ["-f", "null", "-"] : ["-f", "crc", fileName(source)];
}

/** Reads the checksums that pictureOutput wrote. */
export async function readChecksums({ sandbox, sources, tracks }: Run): Promise<Checksums> {
  const read = (side: Side) =>
    tracks[side].selfChecking ? undefined : readChecksum(join(sandbox.directory, fileName(sources[side])));
  const [reference, distorted] = await Promise.all([read("reference"), read("distorted")]);
  return { reference, distorted };
}

/** Decodes every side that is not self-checking again, as for scoring but with one thread. */
export function decodeAgain(decoded: Compared, context: ProbeContext): Promise<Checksums> {
  return bothSides(context.signal, (side, signal) => decodeSideAgain(decoded, side, { ...context, signal }));
}

/** Decodes one side again. */
export async function decodeSideAgain(
  decoded: Compared,
  side: Side,
  context: ProbeContext,
): Promise<string | undefined> {
  const { tracks, sources, pairing, segment } = decoded;
  if (tracks[side].selfChecking) return undefined;
  // Without an ffmpeg the first decoding would have failed.
  if (context.ffmpeg === undefined)
    throw new Failure(
      "SCORER_NOT_FOUND",
      "The video must be decoded, but there is no ffmpeg. Install ffmpeg.",
    );
  const messages = new Messages();
  await using sandbox = Sandbox.open({ ...context, sources: [sources[side]] });
  const chain = decodedChain(tracks[side], pairing, segment);
  const exit = await sandbox.run({
    program: context.ffmpeg,
    ...withGraphFile([
      ...[...QUIET, "-xerror", "-threads", "1", ...inputArguments(decoded, side)],
      ...["-filter_complex", `[0:V:0]${chain}[pictures]`, "-map", "[pictures]"],
      ...[...EVERY_FRAME, ...pictureOutput(tracks[side], sources[side])],
    ]),
    limits: { ...decodeLimits(tracks[side]), fileBytes: CHECKSUM_BYTES },
    onStderr: (line) => messages.read(line),
  });
  refuseFailedDecode(sources[side], exit, messages);
  return await readChecksum(join(sandbox.directory, fileName(sources[side])));
}

/** Throws MEDIA_CORRUPT for a side whose two decodings differ. */
export function refuseUnstable(
  { tracks, sources }: Pick<Compared, "tracks" | "sources">,
  first: Checksums,
  second: Checksums,
): void {
  for (const side of SIDES) {
    if (tracks[side].selfChecking) continue;
    if (first[side] === undefined || second[side] === undefined)
      throw new Failure("SCORER_FAILED", `The decoder wrote no checksum of the ${side} video's frames.`);
    if (first[side] === second[side]) continue;
    throw new Failure(
      "MEDIA_CORRUPT",
      `The ${side} file ${quote(sources[side].asked)} is damaged: parts of its frames are missing and differ each time the file is decoded.`,
      { found: { side } },
    );
  }
}

function fileName(source: Source): string {
  return `${nameOf(source)}.crc`;
}

/** Returns undefined if no checksum was written. */
async function readChecksum(path: string): Promise<string | undefined> {
  const text = await readFile(path, "latin1").catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT") throw error;
    return "";
  });
  return /^CRC=(0x[0-9a-f]{8})$/m.exec(text)?.[1];
}
