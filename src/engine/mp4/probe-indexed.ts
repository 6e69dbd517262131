/**
 * Probes a large fetched MP4 by its index alone. To list packets, ffmpeg would read the whole file. Instead,
 * it gets a condensed file with the same index and contiguous packets of one byte each, so that it still
 * determines times, key frames and edit lists.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ByteRange, bytesIn } from "../../jobs/media/byte-range.ts";
import { NumberList } from "../../platform/number-list.ts";
import type { Source } from "../files/source.ts";
import { isPlaceLine, isTime, PLACE_LIST } from "../media/content.ts";
import { GUARDS, QUIET } from "../media/ffmpeg.ts";
import { FLAG_KEY, LIST_PACKETS, PacketList, packetIn } from "../media/packets.ts";
import { probeListed } from "../media/probe.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import type { IndexedPackets, Track } from "../media/track.ts";
import { PROBE_LIMITS } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { HEAD_BYTES, written } from "./boxes.ts";
import { readLayout } from "./layout.ts";
import { type Samples, samplesIn } from "./samples.ts";

/**
 * Returns the track; undefined if the whole file must be read to know its frames, or if the track cannot be
 * cut.
 */
export async function probeIndexed(source: Source, context: DecodeContext): Promise<Track | undefined> {
  const layout = await readLayout(source);
  const samples = layout && samplesIn(layout.moov, source.size);
  if (layout === undefined || samples === undefined) return undefined;
  const listed = await listIndexed(samples, context);
  if (listed === undefined) return undefined;
  const indexed = { ...listed.packets, opened: layout.ranges };
  const first = firstBytes(indexed);
  if (first === undefined) return undefined;
  await source.fetch?.([first]);
  const track = await probeListed(source, listed.list, context);
  return track?.uncuttable === undefined ? track && { ...track, indexed } : undefined;
}

interface Listed {
  readonly list: PacketList;
  readonly packets: Omit<IndexedPackets, "opened">;
}

const CONDENSED = "index.mp4";
const TYPE = written("ftyp", Buffer.from("isom\0\0\0\0isom", "latin1"));

/** Takes the key frames from the index: a parser would look for them in the packets. */
const AS_INDEXED: readonly string[] = ["-fflags", "+noparse"];

async function listIndexed(samples: Samples, context: DecodeContext): Promise<Listed | undefined> {
  const at = TYPE.length + HEAD_BYTES;
  const packets = written("mdat", Buffer.alloc(samples.sizes.length));
  const file = Buffer.concat([TYPE, packets, samples.condensed(at)]);
  const lists = new Lists(samples, at);
  await using sandbox = Sandbox.open({ ...context, sources: [] });
  sandbox.prepare(() => writeFile(join(sandbox.directory, CONDENSED), file, { mode: 0o600 }));
  const exit = await sandbox.run({
    program: context.ffmpeg,
    args: [
      ...[...QUIET, ...GUARDS, ...AS_INDEXED, "-threads", "1", "-noautorotate", "-copyts"],
      ...["-i", `file:${CONDENSED}`, ...LIST_PACKETS, "-f", "framecrc", "pipe:1"],
      ...[...LIST_PACKETS, ...PLACE_LIST, "pipe:1"],
    ],
    limits: PROBE_LIMITS,
    onStdout: (line) => lists.read(line),
  });
  return exit.code === 0 ? lists.finish() : undefined;
}

/** Reads the lists of a condensed file. */
class Lists {
  readonly #samples: Samples;
  readonly #at: number;
  /** Gets header lines as they are read, and the packets at the end. */
  readonly #list = new PacketList();
  readonly #pts = new NumberList();
  readonly #flags = new NumberList();
  readonly #positions = new NumberList();

  /** `at`: position of the first packet. */
  constructor(samples: Samples, at: number) {
    this.#samples = samples;
    this.#at = at;
  }

  read(line: string): void {
    const isPlace = isPlaceLine(line);
    if (line.startsWith("#")) {
      if (!isPlace) this.#list.read(line);
      return;
    }
    const { isPacket, pts, flags } = packetIn(line);
    if (!isPacket) return;
    if (isPlace) this.#positions.add(pts);
    else {
      this.#pts.add(pts);
      this.#flags.add(flags);
    }
  }

  /** Returns undefined unless each packet of the index was listed, in order, and plays. */
  finish(): Listed | undefined {
    const { sizes, places } = this.#samples;
    const [pts, flags, positions] = [this.#pts.view, this.#flags.view, this.#positions.view];
    if (pts.length !== sizes.length || positions.length !== sizes.length) return undefined;
    if (positions.some((position, sample) => position !== this.#at + sample)) return undefined;
    if (!pts.every(isTime)) return undefined;
    for (let sample = 0; sample < sizes.length; sample++)
      this.#list.add({ pts: pts[sample] ?? 0, bytes: sizes[sample] ?? 0, flags: flags[sample] ?? 0 });
    const packets = { pts, flags, places, sizes: Float64Array.from(sizes) };
    return { list: this.#list, packets };
  }
}

/** Packets that are enough to decode the first frame; fewer are enough if all are key frames. */
const FIRST_PACKETS = 48;
const FIRST_KEYS = 8;
/**
 * Limit of the bytes that ffmpeg reads to determine the tracks' properties: its default for the option
 * probesize, and a margin.
 */
const PROBED_BYTES = 6 * 2 ** 20;
/** Limit of these bytes; beyond it, fetching the whole file is simpler. */
const MOST_FIRST_BYTES = 256 * 2 ** 20;

/**
 * Returns the bytes from which ffmpeg determines the codec and decodes the first frame; undefined if the file
 * does not begin with a key frame, or if they are too many.
 */
function firstBytes({ flags, pts, places, sizes }: Omit<IndexedPackets, "opened">): ByteRange | undefined {
  const isKey = flags.map((flag) => flag & FLAG_KEY);
  if (!isKey[0] || pts.some((time) => time < (pts[0] ?? 0))) return undefined;
  const count = isKey.every((flag) => flag !== 0) ? FIRST_KEYS : FIRST_PACKETS;
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const [packet, place] of places.subarray(0, count).entries()) {
    first = Math.min(first, place);
    last = Math.max(last, place + (sizes[packet] ?? 0) - 1);
  }
  const range = { first, last: Math.max(last, first + PROBED_BYTES) };
  return bytesIn([range]) <= MOST_FIRST_BYTES ? range : undefined;
}
