/** Checks a reported part of a clip. */
import type { ClipReport } from "../../gen/proto/svc/v1/node_pb.ts";
import { CLIP_PIECE_BYTES } from "../../jobs/clips.ts";
import { invalid } from "../../platform/failure.ts";
import type { ClipFacts, ClipPiece } from "../../store/contract/clip-records.ts";
import { checkClip, checkVideoStart } from "../stills/video.ts";

/** Throws INVALID_REQUEST. */
export function clipRecord(report: ClipReport): { readonly clip: ClipFacts; readonly piece: ClipPiece } {
  const { frame, firstFrame, frameCount, mediaType, width, height, bytes, number, piece } = report;
  const clip = { frame, firstFrame, frameCount, mediaType, width, height, bytes };
  checkClip(clip);
  const left = bytes - number * CLIP_PIECE_BYTES;
  const expected = Math.min(CLIP_PIECE_BYTES, left);
  if (left < 1 || piece.length !== expected) {
    throw invalid(
      `clip.piece ${number} has ${piece.length} bytes. A clip of ${bytes} bytes is reported in parts of ${CLIP_PIECE_BYTES} bytes; only the last may be shorter.`,
    );
  }
  if (number === 0) checkVideoStart(piece, clip);
  return { clip, piece: { number, piece, last: left <= CLIP_PIECE_BYTES } };
}
