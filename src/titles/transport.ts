/**
 * Rewrites packets of MPEG-TS (ISO/IEC 13818-1). Their counters may restart with each segment, and their time
 * stamps after a discontinuity. A decoder would mistake that for lost packets, so both are made continuous.
 */
import { Malformed } from "./boxes.ts";

const PACKET = 188;
const SYNC = 0x47;
/** Number of values: counters have 4 bits, time stamps 33. */
const COUNTERS = 16;
const TIMES = 2n ** 33n;

/** State of the packets with the same identifier. */
interface Stream {
  /** Offset that is added to its counters in this segment. */
  counterOffset: number;
  /** Offset that is added to its time stamps since the last discontinuity. */
  timeOffset: bigint;
  /** The last counter, after adding the offset; -1 before the first packet. */
  lastCounter: number;
  /** Decoding time of the last frame, after adding the offset, and its distance from the frame before. */
  lastTime: bigint | undefined;
  step: bigint;
  isVideo: boolean;
}

/** Moves consecutive segments in time. */
export class TransportMover {
  readonly #streams = new Map<number, Stream>();

  /**
   * Moves the packets of the next segment in place. Throws Malformed, also for a video with another packet identifier
   * than before the discontinuity, which would be another track.
   */
  move(segment: Buffer, isDiscontinuous: boolean): void {
    if (segment.length % PACKET !== 0) throw new Malformed("the last packet is cut off");
    const begun = new Set<number>();
    const timed = new Set<number>();
    for (let at = 0; at < segment.length; at += PACKET) {
      if (segment[at] !== SYNC) throw new Malformed(`there is no packet at byte ${at}`);
      const pid = segment.readUInt16BE(at + 1) & 0x1fff;
      const flags = segment.readUInt8(at + 3);
      const hasPayload = (flags & 0x10) !== 0;
      if (!hasPayload) continue;
      const stream = this.#streamOf(pid);
      const counter = flags & 0x0f;
      if (!begun.has(pid) && stream.lastCounter >= 0) stream.counterOffset = stream.lastCounter + 1 - counter;
      begun.add(pid);
      stream.lastCounter = (counter + stream.counterOffset + 2 * COUNTERS) % COUNTERS;
      segment.writeUInt8((flags & 0xf0) | stream.lastCounter, at + 3);
      const payload = at + 4 + ((flags & 0x20) !== 0 ? 1 + segment.readUInt8(at + 4) : 0);
      const isStart = (segment.readUInt8(at + 1) & 0x40) !== 0;
      if (!isStart || payload + 19 > at + PACKET || segment.readUIntBE(payload, 3) !== 1) continue;
      const isFirst = isDiscontinuous && !timed.has(pid);
      if (isVideo(segment.readUInt8(payload + 3))) this.#refuseOtherTrack(stream, isDiscontinuous);
      if (moveTimes(segment, payload, stream, isFirst)) timed.add(pid);
    }
  }

  #streamOf(pid: number): Stream {
    const known = this.#streams.get(pid);
    if (known !== undefined) return known;
    const stream = {
      counterOffset: 0,
      timeOffset: 0n,
      lastCounter: -1,
      lastTime: undefined,
      step: 0n,
      isVideo: false,
    };
    this.#streams.set(pid, stream);
    return stream;
  }

  #refuseOtherTrack(stream: Stream, isDiscontinuous: boolean): void {
    const hasOther = !stream.isVideo && [...this.#streams.values()].some((one) => one.isVideo);
    if (isDiscontinuous && hasOther)
      throw new Malformed("the video has another packet identifier than before the discontinuity");
    stream.isVideo = true;
  }
}

/** Stream identifiers of video in PES packets. */
function isVideo(id: number): boolean {
  return (id & 0xf0) === 0xe0;
}

/** Moves the time stamps of a PES packet. Returns whether it has any. */
function moveTimes(bytes: Buffer, pes: number, stream: Stream, isFirst: boolean): boolean {
  const present = bytes.readUInt8(pes + 7) >> 6;
  if (present < 2) return false;
  const [shown, decoded] = [pes + 9, present === 3 ? pes + 14 : pes + 9];
  const time = timeAt(bytes, decoded);
  if (isFirst && stream.lastTime !== undefined) stream.timeOffset = stream.lastTime + stream.step - time;
  const moved = BigInt.asUintN(33, time + stream.timeOffset);
  if (stream.lastTime !== undefined) stream.step = (moved - stream.lastTime + TIMES) % TIMES;
  stream.lastTime = moved;
  if (stream.timeOffset === 0n) return true;
  for (const at of new Set([shown, decoded])) putTime(bytes, at, timeAt(bytes, at) + stream.timeOffset);
  return true;
}

/** Reads a time stamp: 33 bits in 5 bytes, with a marker bit after 3, 15 and 15 bits. */
function timeAt(bytes: Buffer, at: number): bigint {
  const [high, middle, low] = [
    bytes.readUInt8(at) >> 1,
    bytes.readUInt16BE(at + 1) >> 1,
    bytes.readUInt16BE(at + 3) >> 1,
  ];
  return (BigInt(high & 7) << 30n) | (BigInt(middle) << 15n) | BigInt(low);
}

function putTime(bytes: Buffer, at: number, time: bigint): void {
  const value = BigInt.asUintN(33, time);
  const bits = (shift: bigint, mask: bigint) => Number((value >> shift) & mask);
  bytes.writeUInt8((bytes.readUInt8(at) & 0xf1) | (bits(30n, 7n) << 1), at);
  bytes.writeUInt16BE((bits(15n, 0x7fffn) << 1) | 1, at + 1);
  bytes.writeUInt16BE((bits(0n, 0x7fffn) << 1) | 1, at + 3);
}
