/** How many frames of a pair a second has: what time codes and times count by. */

/** Rates closer than this are the same frames at another pace. */
const SAME_PACE = 1.05;

interface RatedFile {
  /** As a file states it: "30000/1001", "25"; empty: it states none. */
  readonly frameRate: string;
}

/** Frames per second of "30000/1001", "25" or "29.97"; undefined for a text that is no positive rate. */
export function rateOf(text: string | undefined): number | undefined {
  const [, over = "", under = "1"] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(text ?? "") ?? [];
  const rate = Number(over) / Number(under);
  return over !== "" && Number.isFinite(rate) && rate > 0 ? rate : undefined;
}

/**
 * Frames per second of the scored frames, from what the files state; undefined when neither states
 * a rate. Frame numbers count the slower side's frames where the rates differ.
 */
export function scoredRate(files: {
  readonly reference?: RatedFile | undefined;
  readonly distorted?: RatedFile | undefined;
}): number | undefined {
  const [reference, distorted] = [rateOf(files.reference?.frameRate), rateOf(files.distorted?.frameRate)];
  if (reference === undefined || distorted === undefined) return reference ?? distorted;
  return reference / distorted > SAME_PACE ? distorted : reference;
}
