/** Reports of stills without real images: the minimum that a controller accepts as a WebP image. */

import { Still_Side } from "../src/gen/proto/svc/v1/job_pb.ts";
import type { WorkItem } from "../src/gen/proto/svc/v1/node_pb.ts";
import type { Report } from "../src/worker/report.ts";

/** Width and height of an image, in pixels. */
export const PICTURE_SIDE = 64;
/** RIFF, WEBP and "VP8 " with their sizes, the frame tag, start code, width and height: RFC 9649, RFC 6386. */
const HEADER_BYTES = 30;
const CHUNK_AT = 20;

/** Returns the messages that report the stills of a task. `bytes` is the size of each image. */
export function stillReports({ work }: WorkItem, bytes: number): readonly Report[] {
  if (work.case !== "stills") throw new Error("the task is not a STILLS task");
  const frames = work.value.parts.flatMap((part) => part.frames);
  const sides = [Still_Side.REFERENCE, Still_Side.DISTORTED];
  const image = pictureOf(bytes);
  const all = frames.flatMap((frame) => sides.map((side) => ({ frame, side })));
  return all.map((one, index) => ({
    case: "still",
    value: {
      ...{ ...one, image, mediaType: "image/webp", width: PICTURE_SIDE, height: PICTURE_SIDE },
      last: index === all.length - 1,
    },
  }));
}

/** Returns an image of `bytes`, but at least the size of the headers. */
export function pictureOf(bytes: number): Uint8Array<ArrayBuffer> {
  const even = Math.max(HEADER_BYTES, bytes + (bytes % 2));
  const image = Buffer.alloc(even);
  image.write("RIFF", 0, "latin1");
  image.writeUInt32LE(even - 8, 4);
  image.write("WEBPVP8 ", 8, "latin1");
  image.writeUInt32LE(even - CHUNK_AT, 16);
  image.set([0x9d, 0x01, 0x2a], 23);
  image.writeUInt16LE(PICTURE_SIDE, 26);
  image.writeUInt16LE(PICTURE_SIDE, 28);
  return new Uint8Array(image);
}
