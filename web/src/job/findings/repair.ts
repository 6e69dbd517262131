/** The findings about a job's pair, and the specs that score the pair in another way. */
import type { Job, JobSpec } from "../../jobs/job-facts.ts";
import { type Finding, type Fix, readFindings, readFix } from "./read-findings.ts";

/** Returns the findings of a result, a diagnosis or a refused pair, the gravest first. */
export function findingsOf({ result, diagnosis, error }: Job): readonly Finding[] {
  const found = result ?? diagnosis;
  if (found !== undefined) return readFindings(found.findings);
  return error?.code === "PAIR_MISMATCH" ? readFindings(error.found?.["findings"]) : [];
}

/** Returns the members of the spec that would repair the pair; undefined if there are none. */
export function repairOf(job: Job): Fix | undefined {
  const { result, diagnosis, error, spec } = job;
  if ((result ?? diagnosis) === undefined)
    return error?.code === "PAIR_MISMATCH" ? newIn(readFix(error.found?.["fix"]), spec) : undefined;
  const fixes = findingsOf(job).flatMap(({ confidence, fix, isFixed }) =>
    confidence === "possible" || isFixed || fix === undefined ? [] : [fix],
  );
  return newIn(together(fixes), spec);
}

/** Joins fixes, that of the gravest finding first: a later fix adds only members that no earlier one has. */
function together(fixes: readonly Fix[]): Fix | undefined {
  const all = fixes.reduceRight<Fix>((later, { offset, runs, ...picture }) => {
    const { offset: laterOffset, runs: laterRuns, ...laterPicture } = later;
    const isTimed = offset !== undefined || runs !== undefined;
    return {
      ...laterPicture,
      ...(isTimed ? timeOf({ offset, runs }) : timeOf({ offset: laterOffset, runs: laterRuns })),
      ...picture,
      ...(picture.crop && { crop: { ...laterPicture.crop, ...picture.crop } }),
      ...(picture.mirror && { mirror: { ...laterPicture.mirror, ...picture.mirror } }),
    };
  }, {});
  return Object.keys(all).length > 0 ? all : undefined;
}

/** Offset and runs exclude each other. */
function timeOf({ offset, runs }: { offset: Fix["offset"]; runs: Fix["runs"] }): Fix {
  return runs !== undefined ? { runs } : { ...(offset !== undefined && { offset }) };
}

/** Returns the members of a fix that the spec does not set: frames or picture parts that the spec states are kept. */
function newIn(fix: Fix | undefined, spec: JobSpec): Fix | undefined {
  if (fix === undefined) return undefined;
  const isAligned = [spec.offset, spec.start, spec.duration, spec.runs].some(
    (member) => member !== undefined,
  );
  const { offset, runs, ...picture } = fix;
  const added = Object.entries(picture).filter(([name]) => spec[name as keyof typeof picture] === undefined);
  const all: Fix = { ...(isAligned ? {} : timeOf({ offset, runs })), ...Object.fromEntries(added) };
  return Object.keys(all).length > 0 ? all : undefined;
}

/** The spec that scores the pair without repairing it, with warnings instead of a refusal. */
export function asItIs(spec: JobSpec): JobSpec {
  const { findings, fix: _, ...rest } = spec;
  const codes = Object.entries(findings?.codes ?? {}).filter(([, action]) => action !== "REFUSE");
  const kept = codes.length > 0 ? { codes: Object.fromEntries(codes) } : {};
  return { ...rest, findings: { action: "WARN", ...kept } };
}

/** The spec that scores a pair that was only diagnosed. */
export function scored(spec: JobSpec): JobSpec {
  const { diagnoseOnly: _, ...rest } = spec;
  return rest;
}
