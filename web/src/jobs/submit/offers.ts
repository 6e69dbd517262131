/** The models and versions of scorers that the nodes offer. */
import { builtInModel, isShortName, modelsOf, SHORT_NAMES } from "../../../../src/jobs/models.ts";
import { type Capabilities, scorersFor, scorersOf } from "../../../../src/jobs/work.ts";

export interface Offers {
  /** Short names first; empty if unknown. */
  readonly models: readonly string[];
  /** Versions of scorers and of their libvmaf; empty if unknown. */
  readonly scorerVersions: readonly string[];
}

/** `scorerVersion`: as typed; empty: each node's default scorer. */
export function offersOf(nodes: readonly Capabilities[], scorerVersion: string): Offers {
  const chosen = nodes.flatMap((node) => scorersFor(node, scorerVersion.trim() || undefined));
  const names = new Set(chosen.flatMap(({ models }) => models.map(({ name }) => name)));
  const versions = nodes.flatMap(scorersOf).flatMap(({ scorer }) => [scorer.version, scorer.libvmafVersion]);
  return {
    models: [
      ...SHORT_NAMES.filter((name) => names.has(name)),
      ...[...names].filter((name) => !isShortName(name)).sort(),
    ],
    scorerVersions: [...new Set(versions)].sort(),
  };
}

/** Returns the purpose of a model; undefined for a model of the user's own. */
export function modelHint(name: string): string | undefined {
  if (!isShortName(name)) return builtInModel(name)?.title;
  return `The version 1 model that fits the reference: ${modelsOf(name).join(", ")}`;
}
