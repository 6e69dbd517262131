/** An option of the request with which a refused pair can be scored: `found.remedy` of the failure. */
export interface Remedy {
  readonly option: RemedyOption;
  /** A policy; a number of frames for `offset`. */
  readonly value: "COMMON" | "IGNORE" | "AUTO" | number;
  /** A condition for a correct score that the files do not prove; undefined: none. */
  readonly onlyIf?: string;
}

export type RemedyOption =
  | "onFrameCountMismatch"
  | "onFrameRateMismatch"
  | "editLists"
  | "scaling"
  | "offset";
