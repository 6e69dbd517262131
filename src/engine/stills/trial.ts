/** Tests whether a program can encode stills and clips. */
import type { ProbeContext } from "../media/probe-context.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { TRIAL_LIMITS, trialDeadline } from "../scoring/trial.ts";

/** Encodes a small picture. `output`: the options of the encoder, and the file. */
export async function canEncode(
  { ffmpeg, isolation }: Pick<ProbeContext, "ffmpeg" | "isolation">,
  output: readonly string[],
): Promise<boolean> {
  if (ffmpeg === undefined) return false;
  using deadline = trialDeadline(ffmpeg);
  await using sandbox = Sandbox.open({ sources: [], isolation, signal: deadline.signal });
  const picture = ["-f", "lavfi", "-i", "color=s=64x64:r=1:d=1"];
  const args = ["-nostdin", "-v", "error", ...picture, ...output];
  return (await sandbox.run({ program: ffmpeg, args, limits: TRIAL_LIMITS })).code === 0;
}
