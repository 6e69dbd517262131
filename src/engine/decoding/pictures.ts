/** Decodes small pictures of consecutive frames that are compared. */
import type { FrameSpan } from "../contract/finding.ts";
import type { Side } from "../contract/request.ts";
import { PICTURE_BYTES, Pictures, SHRINK } from "../media/pictures.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import type { Compared } from "./compared.ts";
import { decodeRaw } from "./decode-raw.ts";

/**
 * Returns the pictures of a span of frames, counted from the first of the segment's context; fewer if the video ends.
 */
export async function decodePictures(
  compared: Compared,
  side: Side,
  { first, count }: FrameSpan,
  context: DecodeContext,
): Promise<Pictures> {
  const filters = first === 0 ? SHRINK : `trim=start_frame=${first},${SHRINK}`;
  const wanted = { frames: count, filters, frameBytes: PICTURE_BYTES };
  return new Pictures(await decodeRaw(compared, side, wanted, context));
}
