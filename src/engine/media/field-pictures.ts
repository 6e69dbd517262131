/** Small pictures of the two fields of frames, by which interlaced video is recognised. */
import { LUMA } from "./pictures.ts";

/** Bytes of the luma of a frame's two fields. */
export const FIELDS_BYTES = 2 * LUMA.width * LUMA.height;
/**
 * The filters that shrink each field of an untagged frame by itself: rows of the two alternate, the top field's first.
 * Both fields get as many rows of chroma: else, as of 270 rows of 4:2:0, swscale reads beyond the last and can crash.
 */
export const SHRINK_FIELDS = `crop=iw:2*vsub*floor(ih/(2*vsub)):0:0,scale=${LUMA.width}:${2 * LUMA.height}:flags=area:interl=1:in_range=tv:out_range=tv:sws_dither=none,format=gray`;

/** Pictures of the fields of some frames. */
export class FieldPictures {
  /** Numbers of the frames, ascending. */
  readonly frames: readonly number[];
  readonly #places: ReadonlyMap<number, number>;
  readonly #bytes: Uint8Array;

  /** There may be fewer bytes than `frames` have, if the video ended. */
  constructor(bytes: Uint8Array, frames: readonly number[]) {
    this.#bytes = bytes;
    this.frames = frames.slice(0, Math.floor(bytes.length / FIELDS_BYTES));
    this.#places = new Map(this.frames.map((frame, place) => [frame, place]));
  }

  /** The rows of both fields of a frame; undefined: there is no picture of it. */
  rows(frame: number): Uint8Array | undefined {
    const place = this.#places.get(frame);
    return place === undefined
      ? undefined
      : this.#bytes.subarray(place * FIELDS_BYTES, (place + 1) * FIELDS_BYTES);
  }
}
