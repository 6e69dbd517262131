/** The contents of the submit dialog, and the jobs that they describe. */

import { fileName } from "../../../../src/jobs/text/file-name.ts";
import { labelOf, labelTexts } from "../../../../src/jobs/text/labels.ts";
import type { JobSpec } from "../job-facts.ts";

/** Every field as typed. */
export interface JobDraft {
  readonly reference: string;
  /** One file per line; each becomes a job. */
  readonly distorted: string;
  /** Names separated by spaces or commas; the first gives the score. */
  readonly models: string;
  readonly name: string;
  /** One key=value per line. */
  readonly labels: string;
  /** One METRIC.STAT=VALUE per line. */
  readonly gates: string;
  readonly priority: string;
  readonly features: readonly string[];
  readonly width: string;
  readonly height: string;
  readonly pixelFormat: string;
  readonly frameRate: string;
  readonly scaling: "AUTO" | "REFUSE";
  readonly onFrameCountMismatch: "REFUSE" | "COMMON";
  readonly onFrameRateMismatch: "REFUSE" | "COMMON";
  readonly editLists: "APPLY" | "IGNORE";
  /** The action for all findings that the kept codes do not name. */
  readonly findings: "REFUSE" | "WARN" | "IGNORE";
  /** Whether the pair is repaired before it is scored. */
  readonly fix: boolean;
  /** Whether the pair is diagnosed instead of scored. */
  readonly diagnoseOnly: boolean;
  readonly subsample: string;
  /** Size of the distorted video before it was scaled or converted; empty: as in the file. */
  readonly encodeWidth: string;
  readonly encodeHeight: string;
  readonly encodeDepth: string;
  /** Half width of the interval of an estimate, in points; empty: all frames are scored. */
  readonly estimate: string;
  /** Version of a scorer or of its libvmaf; empty: each node's default. */
  readonly scorerVersion: string;
  /** Members without fields in the form, kept from the job that is submitted again. */
  readonly kept: Kept;
}

/** The compared frames and picture parts, and the policies on single findings. */
type Kept = Pick<
  JobSpec,
  "offset" | "start" | "duration" | "runs" | "crop" | "mirror" | "rangeOf" | "matrixOf"
> &
  Pick<NonNullable<JobSpec["findings"]>, "codes">;

export type Field = keyof JobDraft;

export const EMPTY_DRAFT: JobDraft = {
  reference: "",
  distorted: "",
  models: "",
  name: "",
  labels: "",
  gates: "",
  priority: "",
  features: [],
  width: "",
  height: "",
  pixelFormat: "",
  frameRate: "",
  scaling: "AUTO",
  onFrameCountMismatch: "REFUSE",
  onFrameRateMismatch: "REFUSE",
  editLists: "APPLY",
  findings: "REFUSE",
  fix: false,
  diagnoseOnly: false,
  subsample: "",
  encodeWidth: "",
  encodeHeight: "",
  encodeDepth: "",
  estimate: "",
  scorerVersion: "",
  kept: {},
};

/** Non-empty lines. Spaces at the ends of a line are never part of a file name. */
export function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** The words of a text, separated by spaces or commas. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** The draft that describes a job's spec. */
export function draftOf(spec: JobSpec): JobDraft {
  const { models = [], labels = {}, rawVideo: raw, encode } = spec;
  return {
    ...EMPTY_DRAFT,
    reference: spec.reference,
    distorted: spec.distorted,
    models: models.length > 0 ? models.join(" ") : (spec.model ?? ""),
    name: spec.name ?? "",
    labels: labelTexts(labels).join("\n"),
    gates: spec.gates?.join("\n") ?? "",
    priority: textOf(spec.priority),
    features: spec.features ?? [],
    width: textOf(raw?.width),
    height: textOf(raw?.height),
    pixelFormat: raw?.pixelFormat ?? "",
    frameRate: raw?.frameRate ?? "",
    scaling: spec.scaling ?? EMPTY_DRAFT.scaling,
    onFrameCountMismatch: spec.onFrameCountMismatch ?? EMPTY_DRAFT.onFrameCountMismatch,
    onFrameRateMismatch: spec.onFrameRateMismatch ?? EMPTY_DRAFT.onFrameRateMismatch,
    editLists: spec.editLists ?? EMPTY_DRAFT.editLists,
    findings: spec.findings?.action ?? EMPTY_DRAFT.findings,
    fix: spec.fix ?? EMPTY_DRAFT.fix,
    diagnoseOnly: spec.diagnoseOnly ?? EMPTY_DRAFT.diagnoseOnly,
    subsample: textOf(spec.subsample),
    encodeWidth: textOf(encode?.width || undefined),
    encodeHeight: textOf(encode?.height || undefined),
    encodeDepth: textOf(encode?.bitDepth || undefined),
    estimate: textOf(spec.estimate?.tolerance),
    scorerVersion: spec.scorerVersion ?? "",
    kept: keptOf(spec),
  };
}

function keptOf(spec: JobSpec): Kept {
  const { offset, start, duration, runs, crop, mirror, rangeOf, matrixOf, findings } = spec;
  const { codes } = findings ?? {};
  return {
    ...(offset !== undefined && { offset }),
    ...(start !== undefined && { start }),
    ...(duration !== undefined && { duration }),
    ...(runs !== undefined && { runs }),
    ...(crop !== undefined && { crop }),
    ...(mirror !== undefined && { mirror }),
    ...(rangeOf !== undefined && { rangeOf }),
    ...(matrixOf !== undefined && { matrixOf }),
    ...(codes !== undefined && { codes }),
  };
}

function textOf(number: number | undefined): string {
  return number === undefined ? "" : String(number);
}

/** One job per distorted file. A draft without faults gives jobs that conform to the contract. */
export function specsOf(draft: JobDraft): readonly JobSpec[] {
  const files = linesOf(draft.distorted);
  const shared = sharedOf(draft);
  const name = draft.name.trim();
  return files.map((distorted) => ({
    ...shared,
    reference: draft.reference.trim(),
    distorted,
    ...(name !== "" && { name: files.length === 1 ? name : `${name} · ${fileName(distorted)}` }),
  }));
}

/** Fields left at their defaults are omitted; the contract's defaults apply. */
function sharedOf(draft: JobDraft): Omit<JobSpec, "reference" | "distorted"> {
  const models = wordsOf(draft.models);
  const labels = Object.fromEntries(
    linesOf(draft.labels)
      .map(labelOf)
      .filter((label) => label !== undefined),
  );
  const gates = linesOf(draft.gates);
  const raw = rawVideoOf(draft);
  const encode = {
    ...numberIn("width", draft.encodeWidth),
    ...numberIn("height", draft.encodeHeight),
    ...numberIn("bitDepth", draft.encodeDepth),
  };
  const scorerVersion = draft.scorerVersion.trim();
  // The kept members are dropped for a diagnosis: they say what to compare, which the diagnosis has to find
  // out, and they cannot be cleared in the form.
  const { codes, ...compared } = draft.diagnoseOnly ? {} : draft.kept;
  const findings = {
    ...(draft.findings !== "REFUSE" && { action: draft.findings }),
    ...(codes !== undefined && { codes }),
  };
  return {
    ...(models.length > 0 && { models: [...models] }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...numberIn("priority", draft.priority),
    ...(gates.length > 0 && { gates: [...gates] }),
    ...(draft.features.length > 0 && { features: [...draft.features] }),
    ...(raw !== undefined && { rawVideo: raw }),
    ...(draft.scaling !== "AUTO" && { scaling: draft.scaling }),
    ...(draft.onFrameCountMismatch !== "REFUSE" && { onFrameCountMismatch: draft.onFrameCountMismatch }),
    ...(draft.onFrameRateMismatch !== "REFUSE" && { onFrameRateMismatch: draft.onFrameRateMismatch }),
    ...(draft.editLists !== "APPLY" && { editLists: draft.editLists }),
    ...numberIn("subsample", draft.subsample),
    ...(Object.keys(encode).length > 0 && { encode }),
    ...(draft.estimate.trim() !== "" && { estimate: { tolerance: Number(draft.estimate) } }),
    ...(scorerVersion !== "" && { scorerVersion }),
    ...(Object.keys(findings).length > 0 && { findings }),
    ...(draft.fix && { fix: true }),
    ...(draft.diagnoseOnly && { diagnoseOnly: true }),
    ...compared,
  };
}

function rawVideoOf({ width, height, pixelFormat, frameRate }: JobDraft): JobSpec["rawVideo"] {
  if (width.trim() === "" || height.trim() === "") return undefined;
  return {
    width: Number(width),
    height: Number(height),
    ...(pixelFormat.trim() !== "" && { pixelFormat: pixelFormat.trim() }),
    ...(frameRate.trim() !== "" && { frameRate: frameRate.trim() }),
  };
}

function numberIn<K extends string>(key: K, text: string): { readonly [_ in K]?: number } {
  return text.trim() === "" ? {} : ({ [key]: Number(text) } as { readonly [_ in K]?: number });
}
