/** What to do with a pair that differs: the fields of the submit dialog, and what a failure advises of them. */

export const POLICIES = [
  {
    field: "scaling",
    label: "Sizes that differ",
    choices: [
      ["AUTO", "Scale the distorted video"],
      ["REFUSE", "Refuse the pair"],
    ],
  },
  {
    field: "onFrameCountMismatch",
    label: "Frame counts that differ",
    choices: [
      ["REFUSE", "Refuse the pair"],
      ["COMMON", "Compare from the first frame on"],
    ],
  },
  {
    field: "onFrameRateMismatch",
    label: "Frame rates that differ",
    choices: [
      ["REFUSE", "Refuse the pair"],
      ["COMMON", "Skip frames of the faster one"],
    ],
  },
  {
    field: "editLists",
    label: "Frames that an edit list hides",
    choices: [
      ["APPLY", "Score what plays"],
      ["IGNORE", "Score every coded frame"],
    ],
  },
] as const;

export type PolicyField = (typeof POLICIES)[number]["field"];

/**
 * The remedy of a refused pair (`found.remedy`, by docs/errors.md) in the words of the dialog. Nobody promises the shape
 * of a failure's facts: undefined for what is none, or none of this version.
 */
export function remedyText(remedy: unknown): string | undefined {
  if (typeof remedy !== "object" || remedy === null) return undefined;
  const { option, value, onlyIf } = remedy as Readonly<Record<string, unknown>>;
  const policy = POLICIES.find(({ field }) => field === option);
  const choice = policy?.choices.find(([name]) => name === value);
  if (policy === undefined || choice === undefined) return undefined;
  const setting = `“${policy.label}: ${choice[1]}”`;
  return typeof onlyIf === "string"
    ? `Only if ${onlyIf}: submit the pair with ${setting} (under Advanced).`
    : `To score the pair, submit it with ${setting} (under Advanced).`;
}
