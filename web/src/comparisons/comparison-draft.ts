/** The contents of the form for a comparison, and the request that they describe. */
import type { components } from "../../../src/gen/rest/controller.ts";
import { isGrouping } from "../../../src/jobs/media/grouping.ts";
import { linesOf, wordsOf } from "../jobs/submit/draft.ts";

type Request = components["schemas"]["ComparisonRequest"];

/** The fields for pairs as typed. */
export interface PairDraft {
  readonly reference: string;
  /** One encode per line: its path, or LADDER=PATH. */
  readonly encodes: string;
}

/** Every field as typed. */
export interface ComparisonDraft extends PairDraft {
  readonly name: string;
  /** Names separated by spaces or commas. */
  readonly models: string;
  readonly features: readonly string[];
  /** METRIC.STAT=VALUE, separated by spaces or commas. */
  readonly gates: string;
  /** What names ladders without a name, in the order of the parts. */
  readonly groupBy: readonly string[];
}

export const EMPTY_COMPARISON: ComparisonDraft = {
  name: "",
  reference: "",
  encodes: "",
  models: "",
  features: [],
  gates: "",
  groupBy: ["codec"],
};

/** The request of a draft; undefined if the draft has no reference or no encode. */
export function requestOf(draft: ComparisonDraft): Request | undefined {
  const pairs = pairsOf(draft);
  if (pairs === undefined) return undefined;
  const groupBy = draft.groupBy.filter(isGrouping);
  const name = draft.name.trim();
  const models = wordsOf(draft.models);
  const gates = wordsOf(draft.gates);
  return {
    ...(name !== "" && { name }),
    // The codec is the default.
    ...(groupBy.join() !== "" && groupBy.join() !== "codec" && { groupBy }),
    settings: {
      ...(models.length > 0 && { models: [...models] }),
      ...(draft.features.length > 0 && { features: [...draft.features] }),
      ...(gates.length > 0 && { gates: [...gates] }),
    },
    pairs,
  };
}

/** The pairs of a draft; undefined if it has no reference or no encode. */
export function pairsOf(draft: PairDraft): Request["pairs"] | undefined {
  const reference = draft.reference.trim();
  const lines = linesOf(draft.encodes);
  if (reference === "" || lines.length === 0) return undefined;
  return lines.map((line) => ({ reference, ...encodeOf(line) }));
}

/** Parses "LADDER=PATH". If there is a slash before the "=", the whole line is a path. */
function encodeOf(line: string): { readonly distorted: string; readonly ladder?: string } {
  const at = line.indexOf("=");
  const ladder = line.slice(0, Math.max(0, at)).trim();
  if (ladder === "" || ladder.includes("/")) return { distorted: line };
  return { distorted: line.slice(at + 1).trim(), ladder };
}
