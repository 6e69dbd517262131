/** The frame rate of a pair, the base of its time codes and times. */

/** Rates whose ratio is below this have the same frames at a different speed. */
const SAME_PACE = 1.05;

interface RatedFile {
  /** As stated in the file: "30000/1001", "25"; empty if not stated. */
  readonly frameRate: string;
}

/** Parses frames per second from "30000/1001", "25" or "29.97"; undefined if the text is not a positive rate. */
export function rateOf(text: string | undefined): number | undefined {
  const [, over = "", under = "1"] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(text ?? "") ?? [];
  const rate = Number(over) / Number(under);
  return over !== "" && Number.isFinite(rate) && rate > 0 ? rate : undefined;
}

/**
 * Frames per second of the scored frames, as stated in the files; undefined if neither states
 * a rate. If the rates differ, frame numbers count the frames of the slower side.
 */
export function scoredRate(files: {
  readonly reference?: RatedFile | undefined;
  readonly distorted?: RatedFile | undefined;
}): number | undefined {
  const [reference, distorted] = [rateOf(files.reference?.frameRate), rateOf(files.distorted?.frameRate)];
  if (reference === undefined || distorted === undefined) return reference ?? distorted;
  return reference / distorted > SAME_PACE ? distorted : reference;
}
