/** Shot changes of the reference, as a segment shows them. */

/** The shots of the reference that a segment shows. Frames are numbered in the whole video. */
export interface SegmentShots {
  /**
   * The segment's own frames that begin a shot, ascending; at most MOST_SPANS. The first frame of the video
   * is not listed.
   */
  readonly starts: readonly number[];
  /**
   * Change of the segment's first own frame from the one before, in percent of the range of samples. Set if the segment
   * has too little context to decide whether that frame begins a shot.
   */
  readonly firstChange?: number | undefined;
  /** Change of the segment's last own frame from the one before, in percent of the range of samples. */
  readonly lastChange: number;
}
