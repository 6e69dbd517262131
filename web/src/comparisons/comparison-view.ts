/** The view of a comparison: the choice in the URL, and texts. */

import type { components } from "../../../src/gen/rest/controller.ts";
import { METHODS, type Method } from "../../../src/rates/comparison.ts";
import { type LadderLook, ladderLooks } from "../../../src/report/ladder-looks.ts";
import type { ModelRanges } from "../chart/data/metrics.ts";
import { countText } from "../jobs/job-facts.ts";

import { fileStemOf } from "../ui/save.tsx";

type Schemas = components["schemas"];
export type Comparison = Schemas["Comparison"];
export type Cell = Schemas["ComparisonCell"];
export type Delta = Schemas["LadderDelta"];

export const METHOD_NAMES: Readonly<Record<Method, string>> = {
  pchip: "PCHIP (JVET)",
  akima: "Akima",
  cubic: "Cubic (VCEG-M33)",
  "aom-ctc": "AOM CTC",
};

export interface Choice {
  readonly metric: string;
  /** The clip whose curves are drawn. */
  readonly clip: string;
  readonly method: string;
  /** Whether scores are compared in decibels from the largest score. */
  readonly scale: "linear" | "log";
  /** Order of the encodes: by ladder, or the worst mean first. */
  readonly order: "ladder" | "worst";
}

/** Returns the choice in the URL. A value that the comparison lacks is replaced by the first one that it has. */
export function choiceOf(comparison: Comparison, params: URLSearchParams): Choice {
  const metrics = (comparison.metrics ?? []).map(({ name }) => name);
  const scale = params.get("scale") === "log" ? "log" : "linear";
  return {
    metric: oneOf(metrics, params.get("metric")),
    clip: oneOf(clipsOf(comparison), params.get("clip")),
    method: oneOf(METHODS, params.get("method")),
    scale: hasScale(comparison, scale) ? scale : "linear",
    order: params.get("order") === "worst" ? "worst" : "ladder",
  };
}

function oneOf(all: readonly string[], asked: string | null): string {
  return all.find((each) => each === asked) ?? all[0] ?? "";
}

/** Whether one of the metrics is compared on this scale. */
export function hasScale({ deltas = [] }: Comparison, scale: string): boolean {
  return deltas.some((delta) => delta.scale === scale);
}

/** Number of the colours for curves, of-1 to of-6 in rate-chart.css. */
const COLOURS = 6;

/** How the ladders of a comparison look, by name. */
export function looksOf(comparison: Comparison): ReadonlyMap<string, LadderLook> {
  return ladderLooks(comparison, COLOURS);
}

export function clipsOf({ cells = [] }: Comparison): readonly string[] {
  return [...new Set(cells.map(({ clip }) => clip))];
}

/** The metrics with a largest score: the models. */
export function rangesOf({ metrics = [] }: Comparison): ModelRanges {
  return new Map(
    metrics.flatMap(({ name, max }) => (max === undefined || max <= 1 ? [] : [[name, max] as const])),
  );
}

export function titleOf({ name, id }: Pick<Comparison, "name" | "id">): string {
  return name || `Comparison ${id.slice(0, 8)}`;
}

/** Returns the name of a file, without extension. `what`: what the file contains; empty: all. */
export function fileOf(comparison: Pick<Comparison, "name" | "id">, what = ""): string {
  const stem = fileStemOf(titleOf(comparison), comparison.id);
  return what === "" ? stem : `${stem}-${what}`;
}

export function hasEnded({ progress }: Pick<Comparison, "progress">): boolean {
  return progress.queued + progress.running === 0;
}

/** Cells that ended without a score. */
export function unscored({ progress }: Pick<Comparison, "progress">): number {
  return progress.failed + progress.cancelled + progress.deleted;
}

/** "5 of 8 encodes scored · 2 in progress · 1 failed". */
export function progressText({ progress }: Pick<Comparison, "progress">): string {
  const { cells, succeeded, queued, running, failed, cancelled, deleted } = progress;
  const parts = [
    [queued + running, "in progress"],
    [failed, "failed"],
    [cancelled, "cancelled"],
    [deleted, "deleted"],
  ] as const;
  const rest = parts.filter(([count]) => count > 0).map(([count, what]) => ` · ${countText(count)} ${what}`);
  const noun = cells === 1 ? "encode" : "encodes";
  return `${countText(succeeded)} of ${countText(cells)} ${noun} scored${rest.join("")}`;
}
