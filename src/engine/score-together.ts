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

/** A pair to score whole. */
export interface Whole {
  readonly plan: Plan;
  readonly sources: Sources;
}

/** A pair and the run of it that a process scored. */
interface Member {
  readonly plan: Plan;
  readonly run: Run;
  readonly outcome: RunOutcome;
}

/** Marks a pair that must be scored alone; that also shows what is wrong with it. */
type Alone = undefined;

/** The share of the available memory that a group may take. */
const MEMORY_SHARE = 0.5;
/**
 * Memory of a run, per pixel of a frame: libvmaf with every metric took this much. With one model, a run of
 * 1080p in a group took 105 bytes per pixel with two threads, and 346 with eight.
 */
const BYTES_PER_PIXEL = 290;
const BYTES_PER_PIXEL_AND_THREAD = 50;
/** Threads of a run in a large group: one computes while the other waits for a frame. */
const FEWEST_THREADS = 2;

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
  for (const group of groupsOf(planned, options, process.availableMemory() * MEMORY_SHARE)) {
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
export function groupsOf<Pair extends Whole>(
  pairs: readonly Pair[],
  { scorer, threads }: Pick<RunOptions, "scorer" | "threads">,
  bytes: number,
): readonly (readonly [Pair, ...Pair[]])[] {
  if (scorer.scoreTogether === undefined) return pairs.map((pair) => [pair]);
  const groups = new Map<string, [Pair, ...Pair[]][]>();
  for (const pair of pairs) {
    const key = decodingOf(pair);
    const own = groups.get(key) ?? [];
    groups.set(key, own);
    const last = own.at(-1);
    if (last === undefined || bytesOf([...last, pair], threads) > bytes) own.push([pair]);
    else last.push(pair);
  }
  return [...groups.values()].flat();
}

/** Returns the threads of each run: twice as many in all as a single run has, because runs wait for each other. */
function threadsOf(group: readonly Whole[], threads: number): number {
  return Math.min(threads, Math.max(FEWEST_THREADS, Math.ceil((2 * threads) / group.length)));
}

function bytesOf(group: readonly Whole[], threads: number): number {
  const perPixel = BYTES_PER_PIXEL + BYTES_PER_PIXEL_AND_THREAD * threadsOf(group, threads);
  const pixels = ({ plan: { pairing, tracks } }: Whole) =>
    Math.max(pairing.width * pairing.height, tracks.distorted.width * tracks.distorted.height);
  return perPixel * group.reduce((sum, pair) => sum + pixels(pair), 0);
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

/** Scores a group in one process. Returns the score of each pair, or the failure that refuses it. */
async function scoreGroup(
  group: readonly [Whole, ...Whole[]],
  options: RunOptions,
): Promise<readonly (Scored | Failure | Alone)[]> {
  const { reference } = group[0].sources;
  const numbered = group.map(({ plan, sources }, number) => ({
    plan,
    sources: { reference, distorted: { ...sources.distorted, number } },
  }));
  await using opened = new AsyncDisposableStack();
  try {
    const [members, again] = await allOrAbort<[readonly Member[], readonly Checksums[]]>(options.signal, [
      (signal) => scoreMembers(numbered, { ...options, signal }, opened),
      (signal) => decodeAllAgain(numbered, { ...options, signal }),
    ]);
    const scored: (Scored | Failure | Alone)[] = [];
    for (const [index, member] of members.entries())
      scored.push(await scoredOf(member, again[index], options));
    return scored;
  } catch {
    return group.map(() => undefined);
  }
}

/** Throws SCORER_FAILED if the process failed. The sandbox with its files stays open in `opened`. */
async function scoreMembers(
  group: readonly Whole[],
  options: RunOptions,
  opened: AsyncDisposableStack,
): Promise<readonly Member[]> {
  const { scorer, onProgress } = options;
  const frames = group.reduce((sum, { plan }) => sum + plan.pairing.frameCount, 0);
  const meter = new ProgressMeter(frames, onProgress);
  const videos = group.map(({ sources }) => sources.distorted);
  const reference = group.slice(0, 1).map(({ sources }) => sources.reference);
  const sandbox = opened.use(Sandbox.open({ ...options, sources: [...reference, ...videos] }));
  const settings = { ...options, threads: threadsOf(group, options.threads) };
  const runs = group.map(({ plan, sources }) =>
    runOf(plan, wholeSegment(plan.pairing), { sources, sandbox, meter }, settings),
  );
  const [first, ...others] = runs;
  if (first === undefined) return [];
  const limits = ofAll(runs.map((run) => run.limits));
  const attributes = {
    "svc.scorer": `${scorer.info.program} ${scorer.info.version}`,
    "svc.pairs": runs.length,
  };
  const outcomes = await inSpan("run scorer", attributes, async () =>
    scorer.scoreTogether?.([{ ...first, limits }, ...others]),
  );
  return group.map(({ plan }, index) => {
    const [run, outcome] = [runs[index], outcomes?.[index]];
    if (run === undefined || outcome === undefined)
      throw new Failure("SCORER_FAILED", "The scorer failed for one of several pairs.");
    return { plan, run, outcome };
  });
}

/** Decodes the reference and each distorted video again, as far as they need it. */
async function decodeAllAgain(group: readonly Whole[], context: RunOptions): Promise<readonly Checksums[]> {
  const all: Checksums[] = [];
  for (const { plan, sources } of group) {
    const decoded = { ...plan, sources, segment: wholeSegment(plan.pairing) };
    const [first] = all;
    const reference = first ? first.reference : await decodeSideAgain(decoded, "reference", context);
    all.push({ reference, distorted: await decodeSideAgain(decoded, "distorted", context) });
  }
  return all;
}

async function scoredOf(
  { plan, run, outcome }: Member,
  again: Checksums | undefined,
  options: RunOptions,
): Promise<Scored | Failure | Alone> {
  if (again === undefined) return undefined;
  try {
    refuseUnstable(run, outcome.checksums, again);
    return scoredWhole(plan, run.segment, await examined(plan, run, outcome, options));
  } catch (error) {
    const failure = Failure.from(error);
    // Scoring the pair alone would lead to the same findings.
    return failure.code === "PAIR_MISMATCH" ? failure : undefined;
  }
}
