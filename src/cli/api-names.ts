/** Replaces the API's field names in messages of the engine and of a server with command-line options. */

/** API field → option. */
const OPTIONS: Readonly<Record<string, string>> = {
  onFrameCountMismatch: "--on-frame-count-mismatch",
  onFrameRateMismatch: "--on-frame-rate-mismatch",
  editLists: "--edit-lists",
  scaling: "--no-scaling",
  subsample: "--subsample",
  scorerVersion: "--scorer-version",
  offset: "--offset",
  start: "--start",
  duration: "--duration",
  runs: "--runs",
  "crop.reference": "--crop reference",
  "crop.distorted": "--crop distorted",
  "mirror.reference": "--mirror reference",
  "mirror.distorted": "--mirror distorted",
  rangeOf: "--range-of",
  matrixOf: "--matrix-of",
  findings: "--findings",
  "findings.action": "--findings",
  "findings.codes": "--findings",
  fix: "--fix",
  diagnoseOnly: "--diagnose",
  estimate: "--estimate",
  crop: "--crop",
  mirror: "--mirror",
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

/** Names that aren't English words are replaced anywhere; the others only as the first word. */
const ANYWHERE = Object.keys(OPTIONS).filter((name) => /[A-Z.]/.test(name));
const FIELD = new RegExp(`\\b(?:${ANYWHERE.map((name) => name.replace(".", "\\.")).join("|")})\\b`, "g");
const FIRST_WORD =
  /^(?:model|models|features|name|labels|priority|scaling|subsample|offset|start|duration|runs|crop|mirror|findings|fix|estimate)\b/;

/** A field with its policy: "Set scaling to AUTO", "onFrameCountMismatch: COMMON". */
const POLICY =
  /(?:\b([Ss])et )?\b(onFrameCountMismatch|onFrameRateMismatch|editLists|scaling|findings)(?: to |: ?| )([A-Z]{3,})\b/g;
/** "set offset to -13". */
const FRAMES = /\b([Ss])et (offset|start|duration|runs)\b(?: to (-?\d+)\b)?/g;
const RUNS = /\b([Ss]ay with) runs\b/g;
const FIX = /\b([Ss])et fix to true\b/g;
const RAW_GEOMETRY = /\b([Gg])ive its rawVideo geometry(?: \(width, height, pixelFormat\))?/g;

/** Matches a message about a line of a --from list. Such a line has the API's fields, so their names stay. */
const OF_LINE = /^(?:--from: .*: )?line \d+: /;

/** Returns a message with options in place of field names. A message that names no field is unchanged. */
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
    .replaceAll(FRAMES, (_, set: string, field: string, value = "") =>
      `${set === "S" ? "Use" : "use"} ${optionOf(field)} ${value}`.trim(),
    )
    .replaceAll(FIX, (_, set: string) => `${set === "S" ? "Use" : "use"} --fix`)
    .replaceAll(RUNS, "$1 --runs")
    .replaceAll(FIELD, optionOf)
    .replace(FIRST_WORD, optionOf);
}

/** Returns how to set a field's policy on the command line: "--edit-lists ignore", "leave out --no-scaling". */
export function policyOption(field: string, policy: string): string {
  if (field !== "scaling") return `${optionOf(field)} ${policy.toLowerCase()}`;
  return policy === "AUTO" ? "leave out --no-scaling" : "--no-scaling";
}

/** `set`: the first letter of "set", if the message has the word. */
function setting(set: string | undefined, field: string, policy: string): string {
  const option = policyOption(field, policy);
  const advice = set === undefined || !option.startsWith("--") ? option : `use ${option}`;
  return set === "S" ? advice.charAt(0).toUpperCase() + advice.slice(1) : advice;
}

function optionOf(field: string): string {
  return OPTIONS[field] ?? field;
}
