/** The command `svc score REF DIST`. */
import type { Command } from "commander";
import { exitCodes } from "../platform/config/help.ts";
import { conclude, PeopleCommand } from "./command.ts";
import type { PairCommands } from "./findings/refused.ts";
import { SCORE_ADVICE } from "./score/advice.ts";
import { fileWords } from "./score/flags/file.ts";
import { addScoreOptions, type ScoreFlags } from "./score/options.ts";
import { runScore } from "./score/run.ts";
import { shellWord } from "./terminal/escape.ts";

const GUIDE = `
Examples:
  Score an encode against its source:
    $ svc score source.mov encode.mp4

  In CI: fail if the mean is below 93 or the 5th percentile below 85:
    $ svc score source.mov encode.mp4 --fail-under vmaf.mean=93 --fail-under vmaf.p5=85

  Two models and two more metrics in one pass, with per-frame scores as CSV:
    $ svc score source.mov encode.mp4 -m vmaf_v0.6.1 -m vmaf_v0.6.1neg --metric psnr,ssim --csv frames.csv

  VMAF version 1 and the older version, from one decoding:
    $ svc score source.mov encode.mp4 -m v1 -m vmaf_v0.6.1

  The score alone, for a script:
    $ svc score source.mov encode.mp4 --json | jq .score

  A long video: estimate the mean to ±0.5 points from a sample of the frames:
    $ svc score source.mov encode.mp4 --estimate 0.5

  Raw video, which has no header:
    $ svc score source.yuv encode.yuv --size 576x324 --pixel-format yuv420p

  An encode that lost its last frames: score the frames that both have, with a warning:
    $ svc score source.mov encode.mp4 --on-frame-count-mismatch common

  Videos that begin at different frames, or show different areas: repair what is certain, then score:
    $ svc score source.mov encode.mp4 --fix

Gates:
  - METRIC is vmaf (the first model), the name of another model, or a metric of --metric.
  - STAT is mean, harmonicMean, min, max, stdDev, p1, p5, p10 or p50.
  - With --estimate: only the mean of a model. It is undecided if its interval contains the value.

${exitCodes({
  0: "scored, and every gate passed",
  1: "scored, but below a gate of --fail-under, or an estimate cannot decide it",
  2: "the videos cannot be scored, or the command line is wrong",
  3: "the scorer failed or timed out, or the result could not be written",
  130: "stopped with Ctrl-C; nothing is left behind",
})}`;

export function scoreCommand(): Command {
  const command = new PeopleCommand("svc score")
    .summary("score a distorted video against its reference")
    .description(
      "Scores a distorted (encoded) video against its reference (source) with VMAF, frame by frame, and shows " +
        "the score, its distribution, a chart over time and the worst frames. Needs no server.",
    )
    .argument("<reference>", "the source video: any container, .y4m or raw .yuv")
    .argument("<distorted>", "the encoded video; scaled to the reference's size if that differs")
    .withGuide(GUIDE);
  return addScoreOptions(command).action(score);
}

async function score(reference: string, distorted: string, flags: ScoreFlags): Promise<void> {
  const commands = commandsFor(reference, distorted, flags);
  const failureText = {
    ...{ json: flags.json, indent: 2, title: "The pair was not scored", advice: SCORE_ADVICE, commands },
  };
  await conclude(failureText, (signal) => runScore(reference, distorted, flags, signal));
}

/** Returns the commands to suggest if the pair is refused: this one with other options, or a diagnosis. */
function commandsFor(reference: string, distorted: string, flags: ScoreFlags): PairCommands {
  const given = process.argv.slice(2);
  const end = given.includes("--") ? given.indexOf("--") : given.length;
  return {
    scoreWith: (options) => commandText(given.toSpliced(end, 0, ...options)),
    hasFix: flags.fix === true,
    hasPolicy: flags.findings !== undefined,
    doctor: commandText(["doctor", reference, distorted, ...fileWords(flags)]),
  };
}

function commandText(words: readonly string[]): string {
  return ["svc", ...words].map(shellWord).join(" ");
}
