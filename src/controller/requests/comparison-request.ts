/** Checks requests about comparisons. */
import { hash } from "node:crypto";
import { create, isFieldSet, toJson, toJsonString } from "@bufbuild/protobuf";
import {
  type ComparisonPair,
  type SubmitComparisonRequest,
  SubmitComparisonRequestSchema,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import { type JobSpec, JobSpecSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import type { FindingsPolicy } from "../../jobs/findings-policy.ts";
import { GROUPINGS, type Grouping, isGrouping } from "../../jobs/media/grouping.ts";
import { pairKey } from "../../jobs/media/pair-key.ts";
import { MAX_CELL_NAME, MAX_CELLS, MAX_JOB_NAME } from "../../jobs/request-limits.ts";
import { invalid } from "../../platform/failure.ts";
import type { CellPair } from "../../store/contract/comparison-records.ts";
import { checkSpec, checkText, idempotencyKeyOf, textOf } from "./job-spec.ts";

export interface CheckedComparison {
  readonly name: string;
  readonly anchor: string;
  readonly groupBy: readonly Grouping[];
  /** The settings, with the tenant's defaults for members that the request omits. */
  readonly settings: JobSpec;
  readonly pairs: readonly CellPair[];
  readonly key: string | undefined;
  /**
   * SHA-256 in hex of the request without defaults, so that a retry after a change of defaults is not a new request.
   */
  readonly fingerprint: string;
}

/** Members that settings must not have: they belong to a single pair, or lead to no score of all frames. */
const NOT_SHARED = [
  ...["reference", "distorted", "referenceVersion", "distortedVersion"],
  ...["diagnoseOnly", "estimate"],
] as (keyof typeof JobSpecSchema.field)[];

/**
 * Checks everything except the files of single pairs. `defaultModels`, `findings`: as for checkSpec. Throws
 * INVALID_REQUEST.
 */
export function checkComparison(
  request: SubmitComparisonRequest,
  defaultModels: readonly string[],
  findings: FindingsPolicy | undefined,
): CheckedComparison {
  const { name, anchor } = request;
  const groupBy = checkGroupBy(request.groupBy);
  checkText("name", name, MAX_JOB_NAME);
  checkText("anchor", anchor, MAX_CELL_NAME);
  const settings = settingsOf(request.settings ?? create(JobSpecSchema), defaultModels, findings);
  const pairs = checkPairs(request.pairs);
  const ladders = pairs.map(({ ladder }) => ladder);
  if (anchor !== "" && !ladders.includes("") && !ladders.includes(anchor))
    throw invalid(`anchor is ${JSON.stringify(anchor)}, but no pair is of this ladder.`);
  const key = idempotencyKeyOf(request.idempotencyKey);
  const text = textOf(toJson(SubmitComparisonRequestSchema, { ...request, idempotencyKey: "" }));
  return { name, anchor, groupBy, settings, pairs, key, fingerprint: hash("sha256", text, "hex") };
}

function checkGroupBy(given: readonly string[]): readonly Grouping[] {
  const groupBy = given.filter(isGrouping);
  const odd = given.find((one) => !isGrouping(one));
  if (odd !== undefined)
    throw invalid(
      `groupBy has ${JSON.stringify(odd.slice(0, 80))}. Use ${GROUPINGS.join(", ")}, or leave it out for the codec.`,
    );
  if (new Set(groupBy).size < groupBy.length) throw invalid("groupBy has a value twice. Give each once.");
  return groupBy;
}

function settingsOf(
  given: JobSpec,
  defaultModels: readonly string[],
  findings: FindingsPolicy | undefined,
): JobSpec {
  const odd = NOT_SHARED.find((member) => isFieldSet(given, JobSpecSchema.field[member]));
  if (odd !== undefined)
    throw invalid(
      `settings.${odd} cannot be given: the settings are those of all cells, and score all frames.`,
    );
  // The pair is a placeholder: the settings are checked without their files.
  const { spec } = checkSpec({ ...given, reference: "/a", distorted: "/b" }, defaultModels, findings);
  return { ...spec, reference: "", distorted: "" };
}

/** Returns the pairs of a request. Throws INVALID_REQUEST. */
export function checkPairs(pairs: readonly ComparisonPair[]): readonly CellPair[] {
  if (pairs.length === 0) throw invalid("pairs is empty. Give at least one pair.");
  if (pairs.length > MAX_CELLS)
    throw invalid(`pairs has ${pairs.length} pairs; at most ${MAX_CELLS} are allowed.`);
  const places = new Map<string, number>();
  return pairs.map(({ reference, distorted, ladder, clip }, index) => {
    checkText(`pairs[${index}].ladder`, ladder, MAX_CELL_NAME);
    checkText(`pairs[${index}].clip`, clip, MAX_CELL_NAME);
    const key = pairKey({ reference, distorted });
    const same = places.get(key);
    if (same !== undefined) throw invalid(`pairs[${index}] has the same videos as pairs[${same}].`);
    places.set(key, index);
    return { reference, distorted, ladder, clip };
  });
}

/** Returns the spec of a cell's job. */
export function cellSpec(settings: JobSpec, { reference, distorted }: CellPair): JobSpec {
  return { ...settings, reference, distorted };
}

/** Returns the settings as the store keeps them. */
export function settingsText(settings: JobSpec): string {
  return toJsonString(JobSpecSchema, settings);
}
