/** The command `svc score REF DIST`. */
import type { Command } from "commander";
import { exitCodes } from "../platform/help.ts";
import { conclude, PeopleCommand } from "./command.ts";
import type { Advice } from "./exit.ts";
import { addScoreOptions, type ScoreFlags } from "./options.ts";
import { runScore } from "./run.ts";

const GUIDE = `
Examples:
  Score an encode against its source:
    $ svc score source.mov encode.mp4

  In a pipeline: fail when the mean is under 93 or the worst twentieth under 85:
    $ svc score source.mov encode.mp4 --fail-under vmaf.mean=93 --fail-under vmaf.p5=85

  Two models and two more metrics in one pass, every frame in a spreadsheet:
    $ svc score source.mov encode.mp4 -m vmaf_v0.6.1 -m vmaf_v0.6.1neg --metric psnr,ssim --csv frames.csv

  One number for a script:
    $ svc score source.mov encode.mp4 --json | jq .score

  Raw video, which says nothing about itself:
    $ svc score source.yuv encode.yuv --size 576x324 --pixel-format yuv420p

  An encode that lost its last frames: score those that both have, and say so:
    $ svc score source.mov encode.mp4 --on-frame-count-mismatch common

Gates:
  - METRIC is vmaf (the first model), another model's name, or a metric of --metric.
  - STAT is mean, harmonicMean, min, max, stdDev, p1, p5, p10 or p50.

${exitCodes({
  0: "scored, and every gate passed",
  1: "scored, but under a gate of --fail-under",
  2: "the videos cannot be scored, or the command line is wrong",
  3: "the scorer failed, ran out of time, or the result could not be written",
  130: "stopped with Ctrl-C; nothing is left behind",
})}`;

const ADVICE: Advice = {
  SCORE_TIMEOUT: "Give it longer with --timeout SECONDS, or leave the option out.",
  SCORER_NOT_FOUND: "Name a scorer with --vmaf-binary PATH: Netflix's vmaf, or an ffmpeg built with libvmaf.",
  UNKNOWN_MODEL: "Models of your own are NAME.json files of the folder given with --model-dir.",
};

export function scoreCommand(): Command {
  const command = new PeopleCommand("svc score")
    .summary("score a distorted video against its reference")
    .description(
      "Scores a distorted (encoded) video against its reference (source) with VMAF, frame by frame, and shows " +
        "the score, its spread, a chart over time and the worst frames. No server is needed.",
    )
    .argument("<reference>", "the pristine video: any container, .y4m or raw .yuv")
    .argument("<distorted>", "the encoded video; scaled to the reference's size where that differs")
    .withGuide(GUIDE);
  return addScoreOptions(command).action(score);
}

async function score(reference: string, distorted: string, flags: ScoreFlags): Promise<void> {
  const telling = { json: flags.json, indent: 2, title: "The pair was not scored", advice: ADVICE };
  await conclude(telling, (signal) => runScore(reference, distorted, flags, signal));
}
