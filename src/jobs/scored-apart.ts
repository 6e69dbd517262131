/** Finds results that were scored by different scorers or models, although they are compared with one another. */
import { type ScoredModel, usedModel } from "./scored-models.ts";

/** The scorer and models of a result; `label` names the result for people. */
export interface ScoredBy {
  readonly label: string;
  readonly scorer: { readonly program: string; readonly version: string; readonly libvmafVersion: string };
  readonly models: readonly ScoredModel[];
}

/** One of several variants, and the labels of the results that have it. */
export interface Variant {
  readonly text: string;
  readonly labels: readonly string[];
}

/** A metric that holds the scores of different models. */
export interface MixedMetric {
  readonly metric: string;
  readonly models: readonly Variant[];
}

/**
 * Largest difference in HD between the scores of version 0.6.1 models from different releases of libvmaf;
 * measured with those of 2024 and
 * 2026. In frames of 192x108 pixels, scores differ by up to 0.01: the releases treat borders differently.
 */
const LIBVMAF_DIFFERENCE = 1.2e-4;
/** Note on results with different versions of libvmaf. */
export const LIBVMAF_NOTE = `Between versions of libvmaf, scores of the 0.6.1 models differ by up to ${LIBVMAF_DIFFERENCE} in HD, and by more in small frames.`;

/** Returns the scorers of the results; empty if all have the same. */
export function scorersApart(results: readonly ScoredBy[]): readonly Variant[] {
  return variantsOf(results.map(({ label, scorer }) => ({ label, text: scorerText(scorer) })));
}

/** Whether the results come from different versions of libvmaf, whose last digits differ. */
export function hasSeveralLibvmafs(results: readonly ScoredBy[]): boolean {
  return new Set(results.map(({ scorer }) => scorer.libvmafVersion)).size > 1;
}

/** A scorer and the number of results that it computed. */
export interface ScorerCount {
  readonly text: string;
  readonly count: number;
}

/** Counts the results of a list by scorer, without keeping them. */
export class ScorerCounts {
  readonly #counts = new Map<string, number>();
  readonly #libvmafs = new Set<string>();

  add(scorer: ScoredBy["scorer"]): void {
    const text = scorerText(scorer);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
    this.#libvmafs.add(scorer.libvmafVersion);
  }

  /** The scorers, in the order of their first result; empty if all have the same version of libvmaf. */
  get apart(): readonly ScorerCount[] {
    if (this.#libvmafs.size < 2) return [];
    return [...this.#counts].map(([text, count]) => ({ text, count }));
  }
}

/**
 * Counts results by scorer; empty if all have the same version of libvmaf. Missing results have no scorer.
 */
export function scorersOf(
  results: readonly { readonly scorer?: ScoredBy["scorer"] | undefined }[],
): readonly ScorerCount[] {
  const counts = new ScorerCounts();
  for (const { scorer } of results) if (scorer !== undefined) counts.add(scorer);
  return counts.apart;
}

/** Returns the metrics that hold the scores of different models, for example v1 as the HD and as the 4K model. */
export function modelsApart(results: readonly ScoredBy[]): readonly MixedMetric[] {
  const all = results.flatMap(({ label, models }) =>
    models.map((scored) => ({ label, metric: scored.metric, text: usedModel(scored) })),
  );
  return [...Map.groupBy(all, ({ metric }) => metric)]
    .map(([metric, members]) => ({ metric, models: variantsOf(members) }))
    .filter(({ models }) => models.length > 0);
}

export function scorerText({ program, version, libvmafVersion }: ScoredBy["scorer"]): string {
  return `${program} ${version}, libvmaf ${libvmafVersion}`;
}

function variantsOf(
  members: readonly { readonly label: string; readonly text: string }[],
): readonly Variant[] {
  const groups = [...Map.groupBy(members, ({ text }) => text)];
  if (groups.length < 2) return [];
  return groups.map(([text, group]) => ({ text, labels: group.map(({ label }) => label) }));
}
