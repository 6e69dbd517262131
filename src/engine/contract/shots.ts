/** Where the reference changes from one shot to the next, as a segment shows it. */

/** What a segment shows of the shots of the reference. Frames are numbered in the whole video. */
export interface SegmentShots {
  /**
   * Those of the segment's own frames that begin a shot, ascending; at most MOST_SPANS. The first frame of the video
   * is not listed.
   */
  readonly starts: readonly number[];
  /**
   * Change of the segment's first own frame from the one before, in percent of the range of samples. Set if the segment
   * has too little context to decide whether that frame begins a shot.
   */
  readonly firstChange?: number | undefined;
  /** The same of its last own frame. */
  readonly lastChange: number;
}
