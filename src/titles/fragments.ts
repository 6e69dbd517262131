/**
 * Fragments of MP4: when the samples of each track begin and end, and how they are moved in time. After a
 * discontinuity the time stamps of segments restart, and ffmpeg silently drops frames of a file whose
 * fragments go back in time.
 */
import { type Box, boxAt, boxesAt, Fields, Malformed } from "./boxes.ts";

/** Facts of the init segment that fragments depend on, by track. */
export type Tracks = ReadonlyMap<number, Track>;

interface Track {
  readonly timescale: number;
  /** The box with the codecs' parameters. */
  readonly sampleDescription: Buffer;
  /** Duration of a sample if its fragment states none. */
  readonly sampleDuration: number;
}

/** Reads an init segment. Throws Malformed. */
export function tracksOf(init: Buffer): Tracks {
  const moov = boxAt(init, ["moov"]);
  const durations = new Map<number, number>();
  for (const trex of boxesAt(init, ["mvex", "trex"], moov)) {
    const fields = new Fields(init, trex);
    const id = fields.u32();
    fields.skip(4);
    durations.set(id, fields.u32());
  }
  const tracks = new Map<number, Track>();
  for (const trak of boxesAt(init, ["trak"], moov)) {
    const tkhd = new Fields(init, boxAt(init, ["tkhd"], trak));
    tkhd.skip(tkhd.version === 1 ? 16 : 8);
    const id = tkhd.u32();
    const mdhd = new Fields(init, boxAt(init, ["mdia", "mdhd"], trak));
    mdhd.skip(mdhd.version === 1 ? 16 : 8);
    const stsd = boxAt(init, ["mdia", "minf", "stbl", "stsd"], trak);
    tracks.set(id, {
      timescale: mdhd.u32(),
      sampleDescription: init.subarray(stsd.start, stsd.end),
      sampleDuration: durations.get(id) ?? 0,
    });
  }
  return tracks;
}

/** Whether samples of a track are encrypted, by the type of its sample description (ISO/IEC 14496-12, 8.12). */
export function areEncrypted(tracks: Tracks): boolean {
  // The entries follow the header of a full box and their number.
  return [...tracks.values()].some(
    ({ sampleDescription }) => sampleDescription.toString("latin1", 20, 24) === "encv",
  );
}

/** Whether fragments that belong to one init segment decode in the same way after the other one. */
export function areAlike(one: Tracks, other: Tracks): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([id, { timescale, sampleDescription, sampleDuration }]) => {
    const same = other.get(id);
    return (
      same?.timescale === timescale &&
      same.sampleDuration === sampleDuration &&
      same.sampleDescription.equals(sampleDescription)
    );
  });
}

/** When the samples of a track begin and end, in units of its timescale. */
export interface Period {
  readonly first: bigint;
  readonly end: bigint;
}

/** Returns the period of each track in a segment. Throws Malformed. */
export function periodsOf(segment: Buffer, tracks: Tracks): ReadonlyMap<number, Period> {
  const periods = new Map<number, Period>();
  for (const traf of boxesAt(segment, ["moof", "traf"])) {
    const { id, sampleDuration } = headerOf(segment, traf, tracks);
    const first = timeOf(new Fields(segment, boxAt(segment, ["tfdt"], traf)));
    let end = first;
    for (const trun of boxesAt(segment, ["trun"], traf)) end += durationOf(segment, trun, sampleDuration);
    periods.set(id, { first: periods.get(id)?.first ?? first, end });
  }
  return periods;
}

/** Adds an offset to the times of each track, in place. Throws Malformed, also for times that do not fit. */
export function move(segment: Buffer, offsets: ReadonlyMap<number, bigint>): void {
  for (const traf of boxesAt(segment, ["moof", "traf"])) {
    const id = new Fields(segment, boxAt(segment, ["tfhd"], traf)).u32();
    const tfdt = new Fields(segment, boxAt(segment, ["tfdt"], traf));
    const { at, version } = tfdt;
    const time = timeOf(tfdt) + (offsets.get(id) ?? 0n);
    const bits = version === 1 ? 64 : 32;
    if (time !== BigInt.asUintN(bits, time)) throw new Malformed("a time stamp is out of range");
    if (version === 1) segment.writeBigUInt64BE(time, at);
    else segment.writeUInt32BE(Number(time), at);
  }
}

/** Reads the time of a tfdt box. */
function timeOf(tfdt: Fields): bigint {
  return tfdt.version === 1 ? tfdt.u64() : BigInt(tfdt.u32());
}

/** Flags of tfhd and trun (ISO/IEC 14496-12, 8.8.7 and 8.8.8). */
const TFHD = { baseOffset: 1, description: 2, duration: 8 } as const;
const TRUN = {
  dataOffset: 1,
  firstFlags: 4,
  duration: 0x100,
  size: 0x200,
  flags: 0x400,
  composition: 0x800,
} as const;

function headerOf(segment: Buffer, traf: Box, tracks: Tracks): { id: number; sampleDuration: number } {
  const tfhd = new Fields(segment, boxAt(segment, ["tfhd"], traf));
  const id = tfhd.u32();
  if (tfhd.flags & TFHD.baseOffset) tfhd.skip(8);
  if (tfhd.flags & TFHD.description) tfhd.skip(4);
  const own = tfhd.flags & TFHD.duration ? tfhd.u32() : undefined;
  return { id, sampleDuration: own ?? tracks.get(id)?.sampleDuration ?? 0 };
}

function durationOf(segment: Buffer, trun: Box, usual: number): bigint {
  const fields = new Fields(segment, trun);
  const { flags } = fields;
  const samples = fields.u32();
  if (!(flags & TRUN.duration)) return BigInt(samples) * BigInt(usual);
  if (flags & TRUN.dataOffset) fields.skip(4);
  if (flags & TRUN.firstFlags) fields.skip(4);
  const others = [TRUN.size, TRUN.flags, TRUN.composition].filter((flag) => flags & flag).length;
  let sum = 0n;
  for (let sample = 0; sample < samples; sample++) {
    sum += BigInt(fields.u32());
    fields.skip(4 * others);
  }
  return sum;
}
