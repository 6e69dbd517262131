/** The command `svc compare REF ENCODE…`. */
import type { Command } from "commander";
import { invalid } from "../platform/failure.ts";
import { conclude, PeopleCommand } from "./command.ts";
import { baselineOf, compareReleases, requireJobs } from "./compare/baseline.ts";
import { compareHere } from "./compare/here.ts";
import { addCompareOptions, type CompareFlags } from "./compare/options.ts";
import { checkOutput, printComparison } from "./compare/output.ts";
import { pairsOf } from "./compare/pairs.ts";
import { withSegments } from "./compare/segments.ts";
import { awaitCells, submitPairs } from "./compare/submitted.ts";
import { serverGuide, withServer } from "./connection/server.ts";
import { EXIT, writeAll } from "./exit.ts";
import { SCORE_ADVICE } from "./score/advice.ts";

const GUIDE = `
Examples:
  The encodes of a source, and how its codecs compare:
    $ svc compare source.mov h264-*.mp4 hevc-*.mp4

  All encodes in a folder, and those of two folders as two ladders:
    $ svc compare source.mov encodes/
    $ svc compare source.mov --ladder old=release-6/ --ladder new=release-7/

  The renditions of an HLS or DASH title, for phones and for television:
    $ svc compare source.mov title/master.m3u8 --model v1-phone --model v1-tv

  Two ladders of the same codec, by name, compared with the first:
    $ svc compare source.mov --ladder 'fast=fast-*.mp4' --ladder 'slow=slow-*.mp4' --anchor fast

  Ladders by the encoder that each file names, and by size:
    $ svc compare source.mov encodes/ --group-by encoder,size

  A ladder in steps of 6 points of VMAF, with at most 6 Mbit/s:
    $ svc compare source.mov 540p-*.mp4 1080p-*.mp4 --propose 6 --max-rate 6000000

  Many clips, from a CSV file with the columns reference, distorted, ladder and clip:
    $ svc compare --from encodes.csv --metric psnr,ssim

  The renditions of a title in a media root, on the nodes of a controller:
    $ svc compare /srv/media/source.mov /srv/media/title/master.m3u8 --submit

  On the nodes of a controller, which keeps the comparison:
    $ svc compare --from encodes.csv --submit --name "release 7"

  In CI: the encodes of release 7, which must not be worse than those of release 6:
    $ svc compare --from encodes.csv --submit --label release=7 --baseline release=6 --fail-if-worse 0.5

  In CI: no encode may have a mean below 90, or 5 % of its frames below 80:
    $ svc compare source.mov encodes/ --fail-under vmaf.mean=90 --fail-under vmaf.p5=80

  The encodes as CSV, for a sheet or for svc bd:
    $ svc compare source.mov h264-*.mp4 hevc-*.mp4 --csv > encodes.csv

  The BD-rates by clip, metric, method and scale as CSV:
    $ svc compare --from encodes.csv --csv --table bd-rates > bd-rates.csv

Ladders:
  - The encodes of one ladder and one source are the points of a curve. A BD-rate needs 4 of them.
  - Rates are those of the video tracks, without audio and container.
  - An encode without a score is left out of the curves; the tables and the exit code say so.
  - svc bd --help explains the methods.

${serverGuide({
  0: "every encode was scored",
  1: "below a gate of --fail-under, or with --fail-if-worse: the release is worse than the baseline",
  2: "an encode cannot be scored, --fail-if-worse has fewer than two references, or the command line is wrong",
  3: "the scorer or the server failed, or a job was cancelled",
  130: "stopped with Ctrl-C; jobs of --submit continue",
})}`;

export function compareCommand(): Command {
  const command = new PeopleCommand("svc compare")
    .summary("compare encodes and ladders: scores, rates and BD-rates")
    .description(
      "Scores encodes against their sources, and compares them: rate and scores of each, and how many more or fewer " +
        "bits each ladder needs than an anchor for the same quality. Scores here and now, or with --submit on the nodes " +
        "of a controller.",
    )
    .argument("[reference]", "the source video: any container, .y4m or raw .yuv")
    .argument(
      "[distorted...]",
      "its encodes, folders of them, or HLS or DASH manifests; the codec of each is its ladder",
    )
    .withGuide(GUIDE);
  return addCompareOptions(command).action(compare);
}

async function compare(
  reference: string | undefined,
  encodes: readonly string[],
  flags: CompareFlags,
): Promise<void> {
  const pairs = async (signal: AbortSignal) => {
    checkFlags(flags);
    const { ladder: ladders, from, anchor } = flags;
    // Without an upload, the nodes read the titles in place.
    const titles = flags.submit ? (flags.upload ? "uploaded" : "nodes") : "here";
    const undone = flags.submit ? "Nothing was submitted." : "Nothing was compared.";
    return pairsOf({ reference, encodes, ladders, from, anchor, titles, undone }, signal);
  };
  if (flags.submit) return compareSubmitted(pairs, flags);
  const failureText = { json: flags.json, indent: 2, title: "Nothing was compared", advice: SCORE_ADVICE };
  await conclude(failureText, async (signal) =>
    printComparison(await compareHere(await pairs(signal), flags, signal), flags),
  );
}

function checkFlags(flags: CompareFlags): void {
  checkOutput(flags);
  if (!flags.wait && flags.propose !== undefined)
    throw invalid("--propose needs scores, and --no-wait does not wait for them. Give only one of them.");
  const given = {
    "--name": flags.name,
    "--no-wait": flags.wait ? undefined : false,
    "--label": flags.label,
    "--upload": flags.upload,
    "--baseline": flags.baseline,
    "--statistic": flags.statistic,
    "--fail-if-worse": flags.failIfWorse,
  };
  const [alone] = Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (!flags.submit && alone !== undefined) throw invalid(`${alone} needs --submit.`);
}

async function compareSubmitted(
  pairs: (signal: AbortSignal) => ReturnType<typeof pairsOf>,
  flags: CompareFlags,
): Promise<void> {
  let id: string | undefined;
  const stopped = () =>
    id === undefined
      ? "Stopped."
      : `Stopped. The jobs continue: svc comparisons show ${id} shows the comparison, svc comparisons cancel ${id} cancels it.`;
  await withServer(
    flags,
    async (connection, signal) => {
      const baseline = baselineOf(flags);
      const all = await pairs(signal);
      if (baseline !== undefined) await requireJobs(connection, baseline, signal);
      const submitted = await submitPairs(connection, all, flags, signal);
      id = submitted.id;
      if (!flags.wait) {
        if (flags.json) return printComparison(submitted, flags).then(() => EXIT.scored);
        await writeAll(process.stdout, [`${id}\n`]);
        return EXIT.scored;
      }
      if (!flags.quiet) process.stderr.write(`Comparison ${id}\n`);
      const ended = await awaitCells(connection, submitted, flags, signal);
      const code = await printComparison(await withSegments(connection, ended, all, signal), flags);
      if (baseline === undefined) return code;
      return Math.max(code, await compareReleases(connection, baseline, flags, signal));
    },
    stopped,
  );
}
