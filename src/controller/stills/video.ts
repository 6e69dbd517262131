/** Checks that a reported clip is the video that its node declares, because only videos may be served. */
import { isPlayable, MAX_CLIP_BYTES, MAX_CLIP_FRAMES, stackedSize } from "../../jobs/clips.ts";
import { invalid } from "../../platform/failure.ts";

export interface Video {
  readonly mediaType: string;
  readonly frameCount: number;
  /** Pixels of a side. */
  readonly width: number;
  readonly height: number;
  /** Size of the whole video. */
  readonly bytes: number;
}

/** As the engine makes them (engine/stills/clip.ts). */
const MEDIA_TYPE = "video/mp4";
/** The boxes that lead to the description of the samples of a track: ISO/IEC 14496-12, 6.2.3. */
const PATH = ["moov", "trak", "mdia", "minf", "stbl", "stsd"];
/** Bytes of a sample description before its entries, and of an entry before its width. */
const STSD_HEADER = 8;
const [WIDTH_AT, HEIGHT_AT] = [24, 26];

/** Throws INVALID_REQUEST unless the declared facts are possible. */
export function checkClip({ mediaType, frameCount, width, height, bytes }: Video): void {
  if (mediaType !== MEDIA_TYPE) throw invalid(`clip.mediaType is not ${MEDIA_TYPE}.`);
  if (frameCount < 1 || frameCount > MAX_CLIP_FRAMES)
    throw invalid(`clip.frameCount is ${frameCount}. Use 1 to ${MAX_CLIP_FRAMES}.`);
  if (width < 1 || height < 1 || !isPlayable({ width, height }))
    throw invalid(`clip.width and clip.height are ${width} and ${height}, which is empty or too large.`);
  if (bytes < 1 || bytes > MAX_CLIP_BYTES)
    throw invalid(`clip.bytes is ${bytes}. Use 1 to ${MAX_CLIP_BYTES}.`);
}

/**
 * Throws INVALID_REQUEST unless the first piece begins an MP4 of the declared size with one track, of H.264: its index
 * comes first, and the rest of the file is its samples.
 */
export function checkVideoStart(piece: Uint8Array, { width, height, bytes }: Video): void {
  const whole = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  const boxes = boxesOf(whole, bytes);
  const names = boxes?.map(({ name }) => name).filter((name) => name !== "free");
  const size = stackedSize({ width, height });
  const entry = entryOf(boxes ?? []);
  const isVideo =
    names?.join(" ") === "ftyp moov mdat" &&
    entry?.name === "avc1" &&
    entry.body.length > HEIGHT_AT + 2 &&
    entry.body.readUInt16BE(WIDTH_AT) === size.width &&
    entry.body.readUInt16BE(HEIGHT_AT) === size.height;
  if (!isVideo) {
    throw invalid(
      `clip.piece does not begin an MP4 of ${bytes} bytes with one H.264 track of ${size.width}x${size.height} pixels.`,
    );
  }
}

interface Box {
  readonly name: string;
  /** The available part of its body. */
  readonly body: Buffer;
}

/**
 * Returns the boxes that make up `bytes` bytes, of which `there` is the beginning; undefined if they do not fill them
 * exactly.
 */
function boxesOf(there: Buffer, bytes: number): readonly Box[] | undefined {
  const boxes: Box[] = [];
  let at = 0;
  while (at < bytes) {
    if (at + 8 > there.length) return undefined;
    const size = there.readUInt32BE(at);
    if (size < 8 || at + size > bytes) return undefined;
    boxes.push({ name: there.toString("latin1", at + 4, at + 8), body: there.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

/** Returns the only sample description of the only track. */
function entryOf(boxes: readonly Box[]): Box | undefined {
  let within: readonly Box[] | undefined = boxes;
  for (const name of PATH) {
    const [found, ...more]: Box[] = within?.filter((box) => box.name === name) ?? [];
    if (found === undefined || more.length > 0) return undefined;
    const body: Buffer = name === "stsd" ? found.body.subarray(STSD_HEADER) : found.body;
    within = boxesOf(body, body.length);
  }
  return within?.length === 1 ? within[0] : undefined;
}
