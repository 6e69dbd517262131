/**
 * Messages of the engine and of a server name the fields of the API; people at a command line have
 * options. This is the one place that knows which is which.
 */

/** Fields that are options of their own, by their names. */
const OPTIONS: Readonly<Record<string, string>> = {
  onFrameCountMismatch: "--on-frame-count-mismatch",
  onFrameRateMismatch: "--on-frame-rate-mismatch",
  editLists: "--edit-lists",
  scaling: "--no-scaling",
  subsample: "--subsample",
  model: "--model",
  models: "--model",
  features: "--metric",
  name: "--name",
  labels: "--label",
  priority: "--priority",
  "rawVideo.width": "the width of --size",
  "rawVideo.height": "the height of --size",
  "rawVideo.pixelFormat": "--pixel-format",
  "rawVideo.frameRate": "--frame-rate",
};

/** Names that are no English words stand for the field wherever they are; the others only as the first word. */
const ANYWHERE = Object.keys(OPTIONS).filter((name) => /[A-Z.]/.test(name));
const FIELD = new RegExp(`\\b(?:${ANYWHERE.map((name) => name.replace(".", "\\.")).join("|")})\\b`, "g");
const FIRST_WORD = /^(?:model|models|features|name|labels|priority|scaling|subsample)\b/;

/** What is said of a policy: "Set scaling to AUTO", "onFrameCountMismatch: COMMON". */
const POLICY =
  /(?:\b([Ss])et )?\b(onFrameCountMismatch|onFrameRateMismatch|editLists|scaling)(?: to |: ?| )([A-Z]{3,})\b/g;
const RAW_GEOMETRY = /\b([Gg])ive its rawVideo geometry(?: \(width, height, pixelFormat\))?/g;

/** About a line of a list of --from, whose fields are those of the API. */
const OF_LINE = /^(?:--from: .*: )?line \d+: /;

/** A message in the words of the command line. What names no field stays as it is. */
export function inOptions(message: string): string {
  if (OF_LINE.test(message)) return message;
  return message
    .replaceAll(POLICY, (_, set: string | undefined, field: string, policy: string) =>
      setting(set, field, policy),
    )
    .replaceAll(
      RAW_GEOMETRY,
      (_, give: string) => `${give}ive its geometry with --size WxH (and --pixel-format)`,
    )
    .replaceAll(FIELD, optionOf)
    .replace(FIRST_WORD, optionOf);
}

/** What is typed, or left out, for a field to have a policy: "--edit-lists ignore", "leave out --no-scaling". */
export function policyOption(field: string, policy: string): string {
  if (field !== "scaling") return `${optionOf(field)} ${policy.toLowerCase()}`;
  return policy === "AUTO" ? "leave out --no-scaling" : "--no-scaling";
}

/** `set`: the first letter of "set", where it is there. */
function setting(set: string | undefined, field: string, policy: string): string {
  const option = policyOption(field, policy);
  const advice = set === undefined || !option.startsWith("--") ? option : `use ${option}`;
  return set === "S" ? advice.charAt(0).toUpperCase() + advice.slice(1) : advice;
}

function optionOf(field: string): string {
  return OPTIONS[field] ?? field;
}
