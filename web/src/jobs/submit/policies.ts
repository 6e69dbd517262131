/** How to treat pairs that differ: fields of the submit dialog, and the remedy that a failed job suggests. */

export const POLICIES = [
  {
    field: "scaling",
    label: "If sizes differ",
    choices: [
      ["AUTO", "Scale the distorted video"],
      ["REFUSE", "Fail the job"],
    ],
  },
  {
    field: "onFrameCountMismatch",
    label: "If frame counts differ",
    choices: [
      ["REFUSE", "Fail the job"],
      ["COMMON", "Compare up to the end of the shorter video"],
    ],
  },
  {
    field: "onFrameRateMismatch",
    label: "If frame rates differ",
    choices: [
      ["REFUSE", "Fail the job"],
      ["COMMON", "Skip frames of the faster video"],
    ],
  },
  {
    field: "editLists",
    label: "Frames hidden by an edit list",
    choices: [
      ["APPLY", "Skip them: score what plays"],
      ["IGNORE", "Score every coded frame"],
    ],
  },
  {
    field: "findings",
    label: "Findings of a mismatch",
    choices: [
      ["REFUSE", "Refuse: fail the job"],
      ["WARN", "Warn: score them as they are"],
      ["IGNORE", "Ignore: do not look for any"],
    ],
  },
] as const;

export const REPAIR_LABEL = "Repair the pair first";

export type PolicyField = (typeof POLICIES)[number]["field"];

/**
 * The remedy of a refused pair (`found.remedy`, see docs/errors.md) in the words of the dialog; undefined if there is
 * none or this version does not know it. The shape of a failure's facts is not guaranteed.
 */
export function remedyText(remedy: unknown): string | undefined {
  if (typeof remedy !== "object" || remedy === null) return undefined;
  const { option, value, onlyIf } = remedy as Readonly<Record<string, unknown>>;
  if (option === "offset" && typeof value === "number" && typeof onlyIf === "string")
    return `Only if ${onlyIf}: resubmit with the offset ${value} (svc jobs submit --offset, or the API).`;
  if (option === "fix" && value === true)
    return `To score this pair, resubmit with “${REPAIR_LABEL}” (under Advanced).`;
  const policy = POLICIES.find(({ field }) => field === option);
  const choice = policy?.choices.find(([name]) => name === value);
  if (policy === undefined || choice === undefined) return undefined;
  const setting = `“${policy.label}: ${choice[1]}”`;
  return typeof onlyIf === "string"
    ? `Only if ${onlyIf}: resubmit with ${setting} (under Advanced).`
    : `To score this pair, resubmit with ${setting} (under Advanced).`;
}
