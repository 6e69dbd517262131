/** An option of the request with which a pair that was refused is scored: `found.remedy` of the failure. */
export interface Remedy {
  readonly option: RemedyOption;
  readonly value: "COMMON" | "IGNORE" | "AUTO";
  /** What must be true for the score to be right, and the files do not show; undefined: nothing. */
  readonly onlyIf?: string;
}

export type RemedyOption = "onFrameCountMismatch" | "onFrameRateMismatch" | "editLists" | "scaling";
