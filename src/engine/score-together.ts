/** Scores pairs in one process that decodes their reference once, as far as they use the same frames of it. */
import { Failure } from "../platform/failure.ts";
import { inSpan } from "../platform/observability/span.ts";
import type { PairRequest } from "./contract/request.ts";
import type { ScoreResult } from "./contract/result.ts";
import { decodedChain } from "./decoding/graph.ts";
import { inputArguments } from "./decoding/input.ts";
import { type Sources, verifyBothUnchanged } from "./files/source.ts";
import { resultOf } from "./finish.ts";
import { allOrAbort } from "./media/all-or-abort.ts";
import { wholeSegment } from "./planning/cut.ts";
import type { Plan } from "./planning/plan.ts";
import { ofAll } from "./sandbox/limits.ts";
import { Sandbox } from "./sandbox/sandbox.ts";
import { decodeSideAgain, refuseUnstable } from "./scoring/decode-check.ts";
import { ProgressMeter } from "./scoring/progress.ts";
import type { Checksums, Run, RunOutcome } from "./scoring/run.ts";
import { examined, type RunOptions, runOf, type Scored, scoredWhole, scorePlan } from "./scoring/score.ts";
import type { Scorer } from "./scoring/scorer.ts";

/** A pair to score whole. */
export interface Whole {
  readonly plan: Plan;
  readonly sources: Sources;
}

/** A pair, and its part of a process. */
interface Member {
  readonly plan: Plan;
  readonly run: Run;
}

/** A pair that has to be scored alone, which also says what is wrong with it. */
type Alone = undefined;

/** The share of the available memory that a group may take. */
const MEMORY_SHARE = 0.5;
/** Bytes of memory of a run, per pixel of its frames (bench/renditions.ts prints it). */
const BYTES_PER_PIXEL = 400;

/**
 * Scores pairs, each whole. Returns, in the order of the requests, results and why pairs cannot be scored. `plan` opens and
 * plans a pair.
 */
export async function scoreTogether(
  requests: readonly PairRequest[],
  options: RunOptions,
  plan: (request: PairRequest) => Promise<Whole>,
): Promise<readonly (ScoreResult | Failure)[]> {
  const results = new Map<PairRequest, ScoreResult | Failure>();
  const planned: (Whole & { readonly request: PairRequest })[] = [];
  for (const request of requests) {
    const pair = await attempt(() => plan(request));
    if (pair instanceof Failure) results.set(request, pair);
    else planned.push({ ...pair, request });
  }
  for (const group of groupsOf(planned, options.scorer, process.availableMemory() * MEMORY_SHARE)) {
    const started = performance.now();
    const scored = group.length === 1 ? [] : await scoreGroup(group, options);
    for (const [index, pair] of group.entries()) {
      const result = await attempt(async () => {
        const one = scored[index] ?? (await scorePlan(pair.plan, pair.sources, options));
        if (one instanceof Failure) throw one;
        await verifyBothUnchanged(pair.sources);
        const durationMs = (performance.now() - started) / group.length;
        return resultOf(one, pair.sources, options.scorer.info, durationMs);
      });
      results.set(pair.request, result);
    }
  }
  return requests.flatMap((request) => results.get(request) ?? []);
}

async function attempt<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    return Failure.from(error);
  }
}

/**
 * Returns the pairs in groups that one process can score, with their order kept in each. `bytes`: memory that a group
 * may take; one pair may take more.
 */
function groupsOf<Pair extends Whole>(
  pairs: readonly Pair[],
  scorer: Scorer,
  bytes: number,
): readonly (readonly [Pair, ...Pair[]])[] {
  if (scorer.scoreTogether === undefined) return pairs.map((pair) => [pair]);
  const groups = new Map<string, { readonly pairs: [Pair, ...Pair[]]; bytes: number }[]>();
  for (const pair of pairs) {
    const key = decodingOf(pair);
    const own = groups.get(key) ?? [];
    groups.set(key, own);
    const needed = bytesOf(pair.plan);
    const last = own.at(-1);
    if (last === undefined || last.bytes + needed > bytes) own.push({ pairs: [pair], bytes: needed });
    else {
      last.pairs.push(pair);
      last.bytes += needed;
    }
  }
  return [...groups.values()].flat().map((group) => group.pairs);
}

function bytesOf({ pairing, tracks: { distorted } }: Plan): number {
  return BYTES_PER_PIXEL * Math.max(pairing.width * pairing.height, distorted.width * distorted.height);
}

/** Returns a text that is equal for pairs that compare the same frames of the same reference by the same models. */
function decodingOf({ plan, sources }: Whole): string {
  const segment = wholeSegment(plan.pairing);
  const { reference } = sources;
  return JSON.stringify([
    ...[reference.path, reference.size, reference.modifiedMs],
    inputArguments({ ...plan, sources, segment }, "reference"),
    decodedChain(plan.tracks.reference, plan.pairing, segment),
    segment,
    plan.models.map(({ file, name }) => file ?? name),
  ]);
}

/** Scores a group in one process. Returns for each pair what was scored of it, or why it is refused. */
async function scoreGroup(
  group: readonly [Whole, ...Whole[]],
  options: RunOptions,
): Promise<readonly (Scored | Failure | Alone)[]> {
  const meter = new ProgressMeter(
    group.reduce((sum, { plan }) => sum + plan.pairing.frameCount, 0),
    options.onProgress,
  );
  const { reference } = group[0].sources;
  const videos = group.map(({ sources }, number) => ({ ...sources.distorted, number }));
  await using sandbox = Sandbox.open({ ...options, sources: [reference, ...videos] });
  const members = videos.map((distorted, index): Member => {
    const { plan } = group[index] ?? group[0];
    const sources = { reference, distorted };
    return { plan, run: runOf(plan, wholeSegment(plan.pairing), { sources, sandbox, meter }, options) };
  });
  try {
    const [outcomes, again] = await allOrAbort<[readonly RunOutcome[], readonly Checksums[]]>(
      options.signal,
      [
        () => scoreMembers(members, options.scorer),
        (signal) => decodeAllAgain(members, { ...options, signal }),
      ],
    );
    const scored: (Scored | Failure | Alone)[] = [];
    for (const [index, member] of members.entries())
      scored.push(await scoredOf(member, outcomes[index], again[index], options));
    return scored;
  } catch {
    return members.map(() => undefined);
  }
}

/** Throws SCORER_FAILED if the process failed. */
async function scoreMembers(members: readonly Member[], scorer: Scorer): Promise<readonly RunOutcome[]> {
  const [first, ...others] = members.map((member) => member.run);
  if (first === undefined) return [];
  const limits = ofAll(members.map((member) => member.run.limits));
  const attributes = {
    "svc.scorer": `${scorer.info.program} ${scorer.info.version}`,
    "svc.pairs": members.length,
  };
  const outcomes = await inSpan("run scorer", attributes, async () =>
    scorer.scoreTogether?.([{ ...first, limits }, ...others]),
  );
  if (outcomes === undefined)
    throw new Failure("SCORER_FAILED", "The scorer failed for one of several pairs.");
  return outcomes;
}

/** Decodes the reference and each distorted video again, as far as they need it. */
async function decodeAllAgain(
  members: readonly Member[],
  context: RunOptions,
): Promise<readonly Checksums[]> {
  const all: Checksums[] = [];
  for (const member of members) {
    const reference =
      all[0] === undefined ? await decodeSideAgain(member.run, "reference", context) : all[0].reference;
    all.push({ reference, distorted: await decodeSideAgain(member.run, "distorted", context) });
  }
  return all;
}

async function scoredOf(
  { plan, run }: Member,
  outcome: RunOutcome | undefined,
  again: Checksums | undefined,
  options: RunOptions,
): Promise<Scored | Failure | Alone> {
  if (outcome === undefined || again === undefined) return undefined;
  try {
    refuseUnstable(run, outcome.checksums, again);
    return scoredWhole(plan, run.segment, await examined(plan, run, outcome, options));
  } catch (error) {
    const failure = Failure.from(error);
    // What the pictures show would be found again.
    return failure.code === "PAIR_MISMATCH" ? failure : undefined;
  }
}
