/** Small pictures of frames, 8 bits a sample, by which two videos are related. */

/** Size of the luma of a picture of any shape; each chroma plane has half of it. */
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
