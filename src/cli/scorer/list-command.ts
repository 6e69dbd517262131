/** The command `svc scorer list`. */
import type { Command } from "commander";
import { availableModels } from "../../engine/planning/models.ts";
import type { Origin } from "../../engine/programs/candidates.ts";
import { missingScorer } from "../../engine/programs/missing.ts";
import type { ProgramPlaces } from "../../engine/programs/places.ts";
import { vectorInstructions } from "../../engine/programs/processor.ts";
import { BUNDLED_LICENCE } from "../../engine/programs/release.ts";
import { type Examined, examineAll } from "../../engine/scoring/find.ts";
import { exitCodes } from "../../platform/config/help.ts";
import { programPlaces } from "../../platform/config/program-places.ts";
import { Failure } from "../../platform/failure.ts";
import { conclude, NOT_DONE, PeopleCommand } from "../command.ts";
import { jsonOption } from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { printableJson } from "../terminal/escape.ts";
import { tableTerminal } from "../terminal/terminal.ts";
import { type ListedProgram, type Listing, listingJson, listingLines } from "./listing.ts";

interface ListFlags {
  readonly vmafBinary?: string;
  readonly json?: boolean;
}

const GUIDE = `
Examples:
  $ svc scorer list
  $ svc scorer list --json | jq -r '.programs[] | select(.default) | .libvmafVersion'

Origins:
  - given: named by --vmaf-binary
  - installed: by svc scorer install
  - npm: fetched by npm with svc; older, used where the current one is not installed
  - path: on the PATH

${exitCodes({
  0: "listed",
  2: "the command line is wrong",
  3: "a program could not be tried, for example because the temporary folder is full",
  130: "stopped with Ctrl-C",
})}`;

export function listCommand(): Command {
  return new PeopleCommand("svc scorer list")
    .summary("list the programs that can score")
    .description(
      "Lists the programs that can score, in the order in which they are preferred, each after a trial: where it comes from, its version, its models, its licence.",
    )
    .addOption(
      optional(
        "--vmaf-binary <path>",
        "scorer: Netflix's vmaf, or an ffmpeg with libvmaf",
        "the bundled one, then PATH",
      ).env("SVC_VMAF_BINARY"),
    )
    .addOption(jsonOption("the programs", "a table"))
    .withGuide(GUIDE)
    .action((flags: ListFlags) =>
      conclude({ json: flags.json, indent: 2, title: NOT_DONE, advice: {} }, () => list(flags)),
    );
}

async function list({ vmafBinary, json }: ListFlags): Promise<number> {
  const listing = await listingOf(vmafBinary, programPlaces(process.env));
  const text = json
    ? printableJson(listingJson(listing), 2)
    : listingLines(listing, tableTerminal(process.stdout, process.env)).join("\n");
  await writeAll(process.stdout, [`${text}\n`]);
  return EXIT.scored;
}

async function listingOf(given: string | undefined, places: ProgramPlaces): Promise<Listing> {
  const examined = await examineAll(given, places);
  // If the program given with --vmaf-binary cannot score, no other one is the default.
  const chosen =
    given === undefined ? examined.find(({ outcome }) => !(outcome instanceof Failure)) : examined[0];
  const programs: ListedProgram[] = [];
  for (const one of examined) programs.push(await listedProgram(one, one === chosen));
  return {
    programs,
    vectorInstructions: await vectorInstructions(),
    missing: await missingScorer(places),
  };
}

async function listedProgram({ candidate, outcome }: Examined, chosen: boolean): Promise<ListedProgram> {
  const { origin, path } = candidate;
  const facts = { origin, path, licence: licenceOf(origin) };
  if (outcome instanceof Failure)
    return { ...facts, default: false, scorer: undefined, reason: outcome.message };
  const { program, version, libvmafVersion } = outcome.scorer.info;
  const models = await availableModels(undefined, (names) => outcome.scorer.hasModels(names));
  const scorer = { program, version, libvmafVersion, models };
  return { ...facts, default: chosen, scorer, reason: undefined };
}

function licenceOf(origin: Origin): string {
  return origin === "installed" || origin === "npm" ? BUNDLED_LICENCE : "unknown";
}
