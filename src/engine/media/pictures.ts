/**
 * Small pictures of frames, with 8 bits per sample, from which the relation of two videos is found, and of
 * fields, from which interlaced video is recognised.
 */

/** Size of the luma of every picture, regardless of the shape of the video; each chroma plane has half of it. */
export const LUMA = { width: 240, height: 136 } as const;
export const CHROMA = { width: LUMA.width / 2, height: LUMA.height / 2 } as const;
const LUMA_BYTES = LUMA.width * LUMA.height;
const CHROMA_BYTES = CHROMA.width * CHROMA.height;
/** Bytes of a picture: Y, U and V. */
export const PICTURE_BYTES = LUMA_BYTES + 2 * CHROMA_BYTES;
/**
 * The filters that make a picture of an untagged frame: each sample is the average of an area, in the range in which
 * the samples are stored.
 */
export const SHRINK = `scale=${LUMA.width}:${LUMA.height}:flags=area:in_range=tv:out_range=tv:in_color_matrix=bt709:out_color_matrix=bt709:sws_dither=none,format=yuv420p`;

/** Pictures of consecutive frames. */
export class Pictures {
  readonly count: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.count = Math.floor(bytes.length / PICTURE_BYTES);
  }

  /** The luma of the picture with this index from 0 to `count` − 1, row by row. */
  luma(index: number): Uint8Array {
    const start = index * PICTURE_BYTES;
    return this.#bytes.subarray(start, start + LUMA_BYTES);
  }

  /** One of its chroma planes. */
  chroma(index: number, plane: "u" | "v"): Uint8Array {
    const start = index * PICTURE_BYTES + LUMA_BYTES + (plane === "u" ? 0 : CHROMA_BYTES);
    return this.#bytes.subarray(start, start + CHROMA_BYTES);
  }
}

/** Bytes of the luma of a frame's two fields. */
export const FIELDS_BYTES = 2 * LUMA.width * LUMA.height;
/**
 * The filters that shrink each field of an untagged frame by itself: rows of the two alternate, the top field's first.
 * Both fields get the same number of chroma rows: otherwise, for example with 270 rows of 4:2:0, swscale reads beyond
 * the last row and can crash.
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
