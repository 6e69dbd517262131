/** Resumes a plan that another machine made: verifies that the files, models and scorer here are those of the plan. */
import { Failure } from "../../platform/failure.ts";
import { isAligned, type Run } from "../contract/alignment.ts";
import { withFix } from "../contract/fix.ts";
import { type Area, areaText } from "../contract/picture.ts";
import { type PairRequest, SIDES, type Side } from "../contract/request.ts";
import { quote, type Source } from "../files/source.ts";
import { frameBytes } from "../media/pixels.ts";
import { isRaw } from "../media/raw.ts";
import type { Track } from "../media/track.ts";
import { isY4m, readHeader } from "../media/y4m.ts";
import { recolouring } from "./compare.ts";
import { type BuiltIn, loadable, type Model } from "./models.ts";
import { alignedRuns } from "./pairing.ts";
import type { Plan } from "./plan.ts";
import type { FileFacts, StoredPlan } from "./plan-json.ts";
import type { Segment } from "./segment.ts";

/** Returns the request that a plan was made for: with the fix, if it asks for one. */
export function plannedRequest({ repair }: StoredPlan, request: PairRequest): PairRequest {
  return request.fix === true && repair !== undefined ? withFix(request, repair.fix) : request;
}

/** Throws INVALID_REQUEST for a plan that was made for another request. */
export function refuseOtherRequest(facts: StoredPlan, request: PairRequest): void {
  const { tracks, pairing } = facts;
  const asked = [
    ...[request.models, request.features, request.subsample, requestedRuns(facts, request)],
    recolouring(tracks.reference, tracks.distorted, request),
    ...SIDES.map((side) => [areaOf(request.crop?.[side]), request.mirror?.[side]]),
  ];
  const planned = [
    ...[facts.models.map((model) => model.asked), facts.features, facts.subsample, pairing.runs],
    pairing.recolour,
    ...SIDES.map((side) => [areaOf(pairing.crop[side]), pairing.mirror[side]]),
  ];
  if (JSON.stringify(asked) === JSON.stringify(planned)) return;
  throw new Failure(
    "INVALID_REQUEST",
    "The plan was made for other models, features or frames than the request asks for.",
  );
}

function areaOf(area: Area | undefined): string {
  return area === undefined ? "" : areaText(area);
}

/** Returns the runs that a plan of the request has. Throws INVALID_REQUEST if its tracks do not have the frames. */
function requestedRuns({ tracks, pairing }: StoredPlan, request: PairRequest): readonly Run[] | undefined {
  return isAligned(request) ? alignedRuns(tracks, pairing.thin, request) : undefined;
}

/**
 * Finds the plan's models on this machine. Throws SCORER_FAILED if one is missing, cannot be read or differs; another
 * machine may have them.
 */
export async function plannedModels(
  { models }: StoredPlan,
  modelDir: string | undefined,
  builtIn: BuiltIn,
): Promise<readonly Model[]> {
  return Promise.all(
    models.map(async (planned) => {
      const local = await loadable(planned.name, modelDir, builtIn).catch((error: unknown) => {
        const failure = Failure.from(error);
        throw failure.code === "UNKNOWN_MODEL" ? otherModel(failure.message) : error;
      });
      if (local === undefined) throw otherModel(`It has no model ${planned.name}.`);
      if (local.digest !== planned.digest) throw otherModel(`Its file of the model ${planned.name} differs.`);
      return { ...planned, file: local.file };
    }),
  );
}

function otherModel(what: string): Failure {
  return new Failure("SCORER_FAILED", `This machine does not have the models of the plan. ${what}`);
}

/**
 * Returns the plan of one segment with the files of this machine. Throws a Failure if they are not those of the plan.
 */
export async function resumePlan(
  facts: StoredPlan,
  segment: Segment,
  request: PairRequest,
  sources: Readonly<Record<Side, Source>>,
  models: readonly Model[],
): Promise<Plan> {
  const { pairing, whole, repair, streamSegments } = facts;
  for (const side of SIDES) refuseOtherFile(sources[side], facts.files[side]);
  if (segment.first + segment.count + segment.after > pairing.frameCount)
    throw new Failure("INVALID_REQUEST", "The segment is not part of the plan: it ends after the video.");
  const [reference, distorted] = await Promise.all([
    provenTrack(facts.tracks.reference, sources.reference),
    provenTrack(facts.tracks.distorted, sources.distorted),
  ]);
  const tracks = { reference, distorted };
  return { request, models, pairing, tracks, segments: [segment], whole, repair, streamSegments };
}

function refuseOtherFile({ side, asked, size, modifiedMs }: Source, planned: FileFacts): void {
  if (size === planned.size && modifiedMs === planned.modifiedMs) return;
  throw new Failure(
    "MEDIA_CHANGED",
    `The ${side} file ${quote(asked)} is not the one that was planned: it was modified since, or this machine has another file at its path. Submit the pair again when the file is complete.`,
    { found: { [side]: { sizeBytesPlanned: planned.size, sizeBytes: size } } },
  );
}

/**
 * Verifies a track against its file where that is cheap. If the scorer reads a file directly, its facts are
 * read from the file here instead of trusting the plan.
 */
async function provenTrack(track: Track, source: Source): Promise<Track> {
  if (track.samples === undefined) return track;
  if (track.samples === "raw") {
    const size = frameBytes(track.pixels, track.width, track.height);
    if (!isRaw(source) || source.size % size !== 0) throw otherTrack(source);
    return { ...track, straight: true };
  }
  if (!(await isY4m(source))) throw otherTrack(source);
  const { width, height, pixels, straight } = await readHeader(source);
  if (width !== track.width || height !== track.height || pixels.name !== track.pixels.name)
    throw otherTrack(source);
  return { ...track, straight };
}

function otherTrack({ side, asked }: Source): Failure {
  return new Failure("MEDIA_CHANGED", `The ${side} file ${quote(asked)} does not match its plan.`);
}
