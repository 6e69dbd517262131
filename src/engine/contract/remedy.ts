/** An option of the request with which a refused pair can be scored: `found.remedy` of the failure. */
export interface Remedy {
  readonly option: RemedyOption;
  /** A policy; a number of frames for `offset`; true for `fix`. */
  readonly value: "COMMON" | "IGNORE" | "AUTO" | "WARN" | number | true;
  /** The condition under which the score is correct, which the files do not prove; undefined: none. */
  readonly onlyIf?: string;
}

export type RemedyOption =
  | "onFrameCountMismatch"
  | "onFrameRateMismatch"
  | "editLists"
  | "scaling"
  | "offset"
  | "findings"
  | "fix";
