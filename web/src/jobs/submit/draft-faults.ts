/** Validates a draft field by field: while the user types, and from the controller's refusal. */

import { GateFault, MAX_GATES, parseGate } from "../../../../src/jobs/gates/gate.ts";
import { remoteName } from "../../../../src/jobs/media/names.ts";
import {
  FRAME_RATE,
  LABEL_KEY,
  MAX_BATCH,
  MAX_BIT_DEPTH,
  MAX_JOB_NAME,
  MAX_LABEL_VALUE,
  MAX_LABELS,
  MAX_MODELS,
  MAX_PATH_BYTES,
  MAX_PRIORITY,
  MAX_SCORER_VERSION,
  MAX_SIDE_PIXELS,
  MAX_SUBSAMPLE,
  MAX_TOLERANCE,
  MIN_BIT_DEPTH,
  MIN_TOLERANCE,
  MODEL_NAME,
  PIXEL_FORMAT,
} from "../../../../src/jobs/request-limits.ts";
import { labelOf } from "../../../../src/jobs/text/labels.ts";
import type { ApiError } from "../../api/problem.ts";
import { type Field, type JobDraft, linesOf, wordsOf } from "./draft.ts";

export type Faults = { readonly [F in Field]?: string | undefined };

const CHECKS: { readonly [F in Field]?: (draft: JobDraft) => string | undefined } = {
  reference: ({ reference }) =>
    reference.trim() === "" ? "Enter the path of the reference." : pathFault(reference.trim()),
  distorted: ({ distorted }) => filesFault(linesOf(distorted)),
  models: ({ models }) => modelsFault(wordsOf(models)),
  name: ({ name }) => nameFault(name),
  labels: ({ labels }) => labelsFault(linesOf(labels)),
  gates: ({ gates }) => gatesFault(linesOf(gates)),
  priority: ({ priority }) => rangeFault(priority, -MAX_PRIORITY, MAX_PRIORITY),
  width: (draft) => sideFault(draft, "width"),
  height: (draft) => sideFault(draft, "height"),
  pixelFormat: ({ pixelFormat }) =>
    matchFault(pixelFormat, PIXEL_FORMAT, "Not a pixel format. Example: yuv420p10le."),
  frameRate: ({ frameRate }) =>
    matchFault(frameRate, FRAME_RATE, "Not a frame rate. Examples: 25, 30000/1001."),
  subsample: ({ subsample }) => rangeFault(subsample, 1, MAX_SUBSAMPLE),
  estimate: ({ estimate, subsample }) => estimateFault(estimate, subsample),
  encodeWidth: ({ encodeWidth }) => rangeFault(encodeWidth, 1, MAX_SIDE_PIXELS),
  encodeHeight: ({ encodeHeight }) => rangeFault(encodeHeight, 1, MAX_SIDE_PIXELS),
  encodeDepth: ({ encodeDepth }) => rangeFault(encodeDepth, MIN_BIT_DEPTH, MAX_BIT_DEPTH),
  scorerVersion: ({ scorerVersion }) =>
    scorerVersion.trim().length > MAX_SCORER_VERSION
      ? `Longer than ${MAX_SCORER_VERSION} characters.`
      : textFault(scorerVersion),
};

/** Empty if the controller will accept the draft, as far as the console can check. */
export function faultsOf(draft: JobDraft): Faults {
  const faults: Partial<Record<Field, string>> = {};
  for (const [field, check] of Object.entries(CHECKS) as [Field, (draft: JobDraft) => string | undefined][]) {
    const fault = check(draft);
    if (fault !== undefined) faults[field] = fault;
  }
  return faults;
}

function pathFault(path: string): string | undefined {
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) return `Longer than ${MAX_PATH_BYTES} bytes.`;
  const name = remoteName(path);
  return name?.kind === "fault" ? `The video ${name.text}` : textFault(path);
}

function textFault(text: string): string | undefined {
  if (!text.isWellFormed()) return "Not valid Unicode: contains an unpaired surrogate.";
  return /\p{Cc}/u.test(text) ? "Contains a control character." : undefined;
}

function filesFault(files: readonly string[]): string | undefined {
  if (files.length === 0) return "Enter the path of the distorted video; for several, one per line.";
  if (files.length > MAX_BATCH)
    return `${files.length} files; at most ${MAX_BATCH} can be submitted at once.`;
  for (const [index, file] of files.entries()) {
    const fault = pathFault(file);
    if (fault !== undefined) return inLine(index, files.length, fault);
  }
  return undefined;
}

/** `index` counts from 0. */
function inLine(index: number, count: number, fault: string): string {
  return count === 1 ? fault : `Line ${index + 1}: ${fault}`;
}

function modelsFault(models: readonly string[]): string | undefined {
  if (models.length > MAX_MODELS)
    return `${models.length} models; at most ${MAX_MODELS} can be scored in one pass.`;
  const odd = models.find((model) => !MODEL_NAME.test(model));
  if (odd !== undefined)
    return `${JSON.stringify(odd.slice(0, 40))} isn't a valid model name. Use letters, digits, ".", "_" and "-".`;
  const twice = models.find((model, index) => models.indexOf(model) !== index);
  return twice === undefined ? undefined : `${twice} is listed twice.`;
}

function nameFault(name: string): string | undefined {
  if (Array.from(name.trim()).length > MAX_JOB_NAME) return `Longer than ${MAX_JOB_NAME} characters.`;
  return textFault(name);
}

/**
 * The fault in a list of gates, one per line. Only the controller knows which metrics the score will have.
 */
function gatesFault(gates: readonly string[]): string | undefined {
  if (gates.length > MAX_GATES) return `At most ${MAX_GATES} gates.`;
  for (const [index, gate] of gates.entries()) {
    const fault = gateFault(gate);
    if (fault !== undefined) return inLine(index, gates.length, fault);
  }
  return undefined;
}

function gateFault(gate: string): string | undefined {
  try {
    parseGate(gate);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof GateFault) return thrown.message;
    throw thrown;
  }
}

/** The fault in a list of labels, one key=value per line. */
export function labelsFault(lines: readonly string[]): string | undefined {
  if (lines.length > MAX_LABELS) return `${lines.length} labels; at most ${MAX_LABELS} are allowed.`;
  const keys = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const [key, value] = labelOf(line) ?? ["", ""];
    const fault = labelFault(key, value) ?? (keys.has(key) ? `The key ${key} is used twice.` : undefined);
    if (fault !== undefined) return inLine(index, lines.length, fault);
    keys.add(key);
  }
  return undefined;
}

function labelFault(key: string, value: string): string | undefined {
  if (key === "") return "Use the form key=value.";
  if (!LABEL_KEY.test(key)) return 'A key is 1 to 63 characters: letters, digits, ".", "_", "-" or "/".';
  if (Array.from(value).length > MAX_LABEL_VALUE)
    return `The value is longer than ${MAX_LABEL_VALUE} characters.`;
  return textFault(value);
}

function rangeFault(text: string, least: number, most: number): string | undefined {
  const value = text.trim();
  if (value === "") return undefined;
  const isWhole = /^-?\d{1,9}$/.test(value);
  return isWhole && Number(value) >= least && Number(value) <= most
    ? undefined
    : `Enter a whole number from ${least} to ${most}.`;
}

function estimateFault(estimate: string, subsample: string): string | undefined {
  const points = estimate.trim();
  if (points === "") return undefined;
  if (
    !/^\d{1,2}(\.\d{1,6})?$/.test(points) ||
    Number(points) < MIN_TOLERANCE ||
    Number(points) > MAX_TOLERANCE
  )
    return `Enter points from ${MIN_TOLERANCE} to ${MAX_TOLERANCE}.`;
  return Number(subsample || "1") > 1
    ? "An estimate needs every frame of its sample. Clear the n-th frame."
    : undefined;
}

function sideFault(draft: JobDraft, side: "width" | "height"): string | undefined {
  const others = [draft.width, draft.height, draft.pixelFormat, draft.frameRate];
  if (draft[side].trim() === "" && others.some((other) => other.trim() !== ""))
    return "Raw video needs both width and height.";
  return rangeFault(draft[side], 1, MAX_SIDE_PIXELS);
}

function matchFault(text: string, pattern: RegExp, fault: string): string | undefined {
  return text.trim() === "" || pattern.test(text.trim()) ? undefined : fault;
}

/** Fields by the name that starts a message of the controller. */
const NAMED: readonly (readonly [RegExp, Field])[] = [
  [/^gates\b/, "gates"],
  [/^reference\b/, "reference"],
  [/^distorted\b/, "distorted"],
  [/^models?\b|is not a model name/, "models"],
  [/^name\b/, "name"],
  [/^labels\b/, "labels"],
  [/^priority\b/, "priority"],
  [/^rawVideo\.width\b/, "width"],
  [/^rawVideo\.height\b/, "height"],
  [/^rawVideo\.pixelFormat\b/, "pixelFormat"],
  [/^rawVideo\.frameRate\b/, "frameRate"],
  [/^subsample\b/, "subsample"],
  [/^(?:estimate\b|An estimate )/, "estimate"],
  [/^encode\.width\b/, "encodeWidth"],
  [/^encode\.height\b/, "encodeHeight"],
  [/^encode\.bitDepth\b/, "encodeDepth"],
  [/^scorerVersion\b/, "scorerVersion"],
  [/^findings\b/, "findings"],
  [/^fix\b/, "fix"],
  [/^features\b/, "features"],
];

/** The refusal of a request, or the error of a failed job. */
type Refusal = Pick<ApiError, "code" | "message"> & Partial<Pick<ApiError, "found">>;

/** The field that a refusal concerns, with the message; undefined if it concerns the request as a whole. */
export function faultOfRefusal({ code, message, found = {} }: Refusal, draft: JobDraft): Faults | undefined {
  const text = message.replace(/^jobs\[\d+\]: /, "");
  const field = fieldOf(code, text, draft);
  if (field === undefined) return undefined;
  const index = found["index"];
  const isLine = field === "distorted" && typeof index === "number";
  return { [field]: isLine ? inLine(index, linesOf(draft.distorted).length, text) : text };
}

/** Codes whose text quotes the video. */
const OF_A_VIDEO = [
  ...["PATH_NOT_ALLOWED", "URL_NOT_ALLOWED", "MEDIA_NOT_FOUND", "MEDIA_NOT_READABLE", "MEDIA_NO_FRAMES"],
  ...["MEDIA_CHANGED", "STORAGE_UNAVAILABLE"],
];

function fieldOf(code: string, text: string, draft: JobDraft): Field | undefined {
  if (code === "UNKNOWN_MODEL") return "models";
  if (code === "UNKNOWN_SCORER") return "scorerVersion";
  if (code === "UNKNOWN_FEATURE") return "features";
  if (OF_A_VIDEO.includes(code))
    return text.includes(JSON.stringify(draft.reference.trim())) ? "reference" : "distorted";
  if (code === "URL_NOT_SUPPORTED") return text.startsWith("The reference") ? "reference" : "distorted";
  return code === "INVALID_REQUEST" ? NAMED.find(([pattern]) => pattern.test(text))?.[1] : undefined;
}
