/** The options of `svc compare`. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_MODEL } from "../../jobs/default-models.ts";
import { GROUPINGS, type Grouping, isGrouping } from "../../jobs/media/grouping.ts";
import { withFacts } from "../../platform/config/help-page.ts";
import { proposalOptions } from "../bd/proposal-options.ts";
import { addServerOptions, jsonOption, type ServerFlags } from "../connection/server.ts";
import { offering, optional } from "../flags/optional.ts";
import { collectLabel, type Labels, labelOption } from "../jobs/labels.ts";
import {
  addPairOptions,
  gateOption,
  type PairFlags,
  type ScorerFlags,
  scorerOptions,
} from "../score/options.ts";
import { type TrendFlags, trendOptions } from "../trends/options.ts";
import { csvOptions, type OutputFlags } from "./output.ts";

/** The files of a ladder, as given: "x264=x264-*.mp4". */
export interface LadderFiles {
  readonly ladder: string;
  /** A file, or a pattern of files. */
  readonly files: string;
}

export interface CompareFlags extends ServerFlags, PairFlags, ScorerFlags, TrendFlags, OutputFlags {
  readonly ladder: readonly LadderFiles[];
  readonly from?: string;
  readonly anchor?: string;
  readonly groupBy?: readonly Grouping[];
  /** Gates, as typed. */
  readonly failUnder: readonly string[];
  readonly submit?: boolean;
  readonly name?: string;
  /** False with --no-wait. */
  readonly wait: boolean;
  readonly remoteFiles?: boolean;
  readonly upload?: boolean;
  readonly label?: Labels;
  /** One label: the release to compare with. */
  readonly baseline?: Labels;
  readonly quiet?: boolean;
}

export function addCompareOptions(command: Command): Command {
  for (const option of pairOptions("the codec of each encode is its ladder, or --group-by"))
    command.addOption(option);
  command.addOption(
    optional("--anchor <ladder>", "compare the others with this ladder", "that of the first encode"),
  );
  const groupBy = optional(
    "--group-by <what>",
    `what names the ladder of an encode without one, repeated or separated by commas: ${GROUPINGS.join(", ")}`,
    "codec",
  ).argParser(collectGroupings);
  command.addOption(offering(groupBy, GROUPINGS));
  addPairOptions(command, `${DEFAULT_MODEL}; with --submit your tenant's default models`);
  for (const option of [...outputOptions(), ...scorerOptions(), ...submitOptions()])
    command.addOption(option);
  return addServerOptions(command);
}

/** The options that name pairs besides arguments. `unnamed`: what a ladder without a name is, for the help. */
export function pairOptions(unnamed: string): Option[] {
  return [
    new Option(
      "--ladder <name=files>",
      "encodes of a ladder: a file, a folder, or a pattern such as 'x264=x264-*.mp4'; repeatable",
    )
      .default([], unnamed)
      .argParser(collectLadder),
    optional(
      "--from <file>",
      'CSV list of encodes instead: reference, distorted, ladder, clip; "-" for standard input',
      "none",
    ),
  ];
}

function outputOptions(): Option[] {
  return [
    jsonOption("the comparison", "tables"),
    ...csvOptions(),
    ...proposalOptions("bit/s"),
    gateOption(),
    optional("-q, --quiet", "show no progress", "off"),
  ];
}

function submitOptions(): Option[] {
  return [
    optional("--submit", "score on the nodes of a controller, which keeps the comparison", "score here"),
    optional("--name <name>", "with --submit: display name; need not be unique", "none"),
    labelOption("with --submit: label of the jobs"),
    optional(
      "--baseline <key=value>",
      "with --submit and --label KEY=RELEASE: compare with the jobs of this release, as svc trends does",
      "none",
    ).argParser(collectLabel),
    ...trendOptions("with --baseline: "),
    optional("--no-wait", "with --submit: print the id and do not wait", "wait for the scores"),
    ...sendingOptions("with --submit: "),
  ];
}

/** The options for files that nodes score. `other`: begins the help of each option. */
export function sendingOptions(other = ""): Option[] {
  return [
    optional("--upload", `${other}upload the files of this machine to the controller first`, "off"),
    new Option(
      "--remote-files",
      withFacts(
        `${other}don't check files on this machine, because the nodes see others`,
        "off",
        "SVC_REMOTE_FILES",
      ),
    ),
  ];
}

function collectGroupings(value: string, before: readonly Grouping[] = []): readonly Grouping[] {
  const names = value.split(",").map((text) => {
    const name = text.trim();
    if (!isGrouping(name)) throw new InvalidArgumentError(`Use ${GROUPINGS.join(", ")}.`);
    return name;
  });
  return [...new Set([...before, ...names])];
}

function collectLadder(value: string, before: readonly LadderFiles[]): readonly LadderFiles[] {
  const at = value.indexOf("=");
  const [ladder, files] = [value.slice(0, at), value.slice(at + 1)];
  if (at < 1 || files === "")
    throw new InvalidArgumentError("Use NAME=FILES, for example 'x264=x264-*.mp4'.");
  return [...before, { ladder, files }];
}
