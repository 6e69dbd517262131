/** Checks that a reported still is the image that its node declares, because only images may be served. */
import { invalid } from "../../platform/failure.ts";

export interface Picture {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly image: Uint8Array;
}

/** As the engine makes them (engine/stills/still.ts). */
const MEDIA_TYPE = "image/webp";
const MAX_BYTES = 3 * 2 ** 20;
const MAX_SIDE = 4096;
/**
 * RIFF and its size, WEBP, "VP8 " and its size, then the frame tag, start code, width and height: RFC 9649, RFC 6386.
 */
const HEADER_BYTES = 30;
const START_CODE = [0x9d, 0x01, 0x2a];

/** Throws INVALID_REQUEST unless the bytes are exactly one lossy WebP image of the declared size. */
export function checkStillImage({ mediaType, width, height, image }: Picture): void {
  if (mediaType !== MEDIA_TYPE) throw invalid(`still.mediaType is not ${MEDIA_TYPE}.`);
  for (const [name, pixels] of Object.entries({ width, height })) {
    if (pixels < 1 || pixels > MAX_SIDE) throw invalid(`still.${name} is ${pixels}. Use 1 to ${MAX_SIDE}.`);
  }
  if (image.length > MAX_BYTES)
    throw invalid(`still.image has ${image.length} bytes. Use at most ${MAX_BYTES}.`);
  if (!isWebp(image, width, height)) {
    throw invalid(`still.image is not a single WebP image of ${width}x${height} pixels.`);
  }
}

function isWebp(image: Uint8Array, width: number, height: number): boolean {
  if (image.length < HEADER_BYTES) return false;
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.length);
  const text = (from: number, to: number): string => bytes.toString("latin1", from, to);
  if (text(0, 4) !== "RIFF" || text(8, 12) !== "WEBP" || text(12, 16) !== "VP8 ") return false;
  const [all, chunk] = [bytes.readUInt32LE(4), bytes.readUInt32LE(16)];
  // A chunk of odd size is padded with one byte.
  if (all !== image.length - 8 || chunk + (chunk % 2) !== image.length - 20) return false;
  if (!START_CODE.every((byte, index) => bytes[23 + index] === byte)) return false;
  const size = [bytes.readUInt16LE(26), bytes.readUInt16LE(28)].map((word) => word & 0x3fff);
  return size[0] === width && size[1] === height;
}
