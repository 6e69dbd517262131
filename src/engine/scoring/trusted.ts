/**
 * The scorer that svc installed, without a trial. Its hash was checked when it was installed, and what it reports is
 * known (release.ts), so that a short score need not wait for a trial.
 */
import { stat } from "node:fs/promises";
import { BUILT_IN_MODELS } from "../../jobs/models.ts";
import type { Candidate } from "../programs/candidates.ts";
import { buildFor, PLATFORM } from "../programs/release.ts";
import { FfmpegScorer } from "./scorer-ffmpeg.ts";
import { Trial } from "./trial.ts";

/** The filter of ffmpeg loads every built-in model except bootstrap models. */
const MODELS = BUILT_IN_MODELS.filter(({ family }) => family !== "bootstrap").map(({ name }) => name);

/**
 * Returns the scorer if the candidate is the installed program, complete and for this platform; undefined: it has to
 * be tried. If a score fails, `Scorer.confirm` finds out whether the program is the reason.
 */
export async function trustedScorer(
  candidate: Candidate | undefined,
  isolation: readonly string[],
): Promise<FfmpegScorer | undefined> {
  const build = buildFor(PLATFORM);
  if (candidate?.origin !== "installed" || build?.reports === undefined) return undefined;
  const { path } = candidate;
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size !== build.program.bytes) return undefined;
  return new FfmpegScorer(path, build.reports, Trial.ffmpeg(path, isolation, MODELS, ["xpsnr", "scdet"]));
}
