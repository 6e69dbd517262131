/** The command `svc bd POINTS.csv`. */
import type { Command } from "commander";
import { exitCodes } from "../platform/config/help.ts";
import { BD_TABLES } from "./bd/csv.ts";
import { proposalOptions } from "./bd/proposal-options.ts";
import { type BdFlags, runBd } from "./bd/run.ts";
import { conclude, PeopleCommand } from "./command.ts";
import { jsonOption } from "./connection/server.ts";
import { optional } from "./flags/optional.ts";
import { tableOption } from "./flags/table.ts";

const GUIDE = `
Examples:
  Compare all other ladders with the first one of the file:
    $ svc bd points.csv

  Compare by VMAF only, with another ladder, from another program:
    $ make-points | svc bd - --anchor x264 --metric vmaf

  The averages over the clips by the method of JVET, for a script:
    $ svc bd points.csv --json | jq '.averages[] | select(.method == "pchip" and .scale == "linear")'

  A ladder in steps of 6 points of VMAF, with at most 6,000 (kbit/s in this table):
    $ svc bd points.csv --propose 6 --max-rate 6000

  The BD-rates of every clip and method as CSV, for a sheet:
    $ svc bd points.csv --csv > bd-rates.csv

POINTS.csv has one row per encode, below a header with these columns in any order:
  - ladder: the encoder or setting that the encode belongs to
  - clip: the source; without this column all encodes are of one
  - rate: the bit rate, in any unit that is the same for all rows
  - size: the picture size, such as 1920x1080; optional. Where the rates of
    sizes overlap, ladders are compared over the convex hulls of their encodes
  - one column for each metric, such as vmaf, psnr_y or ssim

Methods:
  - pchip: piecewise cubic Hermite curves, as in JVET's common test conditions
  - akima: Akima's curves; they need 3 points, the other methods 4
  - cubic: one cubic polynomial, as in VCEG-M33 of 2001
  - aom-ctc: pchip as in AOM's common test conditions, without points at which VMAF is saturated

A BD-rate of -20 % means a fifth fewer bits than the anchor for the same quality. BD-quality is the difference of the metric at the same rate, by pchip. VMAF and SSIM, which have a largest score, are also compared in decibels. There is no number, but the reason, if a ladder has too few points, two with the same rate or score, a score that is not finite or does not rise with the rate, or nothing in common with the anchor.

Rungs, by VMAF: named are those that another one beats with no more bits, that gain less than 2 points over the one below, or that score 1 point less than a mixture of their neighbours; and steps of more than 12 points, where a rung is missing.

${exitCodes({
  0: "compared; the output says what was refused, and why",
  2: "the file or the command line is wrong, or every comparison was refused",
  3: "the result could not be written",
  130: "stopped with Ctrl-C",
})}`;

export function bdCommand(): Command {
  const command = new PeopleCommand("svc bd")
    .summary("compare rate-quality ladders by BD-rate, from a table of encodes")
    .description(
      "Compares ladders of encodes: how many more or fewer bits each needs than an anchor for the same quality " +
        "(BD-rate), by every metric of the table and by four methods, for each clip and on average. Needs no videos " +
        "and no server.",
    )
    .argument("<points>", 'a CSV file with one row per encode, or "-" for standard input')
    .withGuide(GUIDE)
    .addOption(optional("--anchor <ladder>", "compare with this ladder", "the first of the file"))
    .addOption(
      optional(
        "--metric <column>",
        "compare by these columns only, repeated or separated by commas",
        "every column of numbers",
      ).argParser(collectColumns),
    );
  for (const option of proposalOptions("the unit of the table")) command.addOption(option);
  return command
    .addOption(jsonOption("the comparison", "tables").conflicts("csv"))
    .addOption(optional("--csv", "print a table as CSV: the BD-rates, or that of --table", "tables"))
    .addOption(tableOption(BD_TABLES))
    .action((points: string, flags: BdFlags) =>
      conclude(
        { json: flags.json, indent: 2, title: "The ladders were not compared", advice: {} },
        (signal) => runBd(points, flags, signal),
      ),
    );
}

function collectColumns(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(",").map((column) => column.trim())];
}
