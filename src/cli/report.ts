/** The command `svc report ID --html FILE`. */
import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { Connection } from "../client/connection/connection.ts";
import { comparisonJson } from "../messages/json.ts";
import { Failure } from "../platform/failure.ts";
import { version } from "../platform/version.ts";
import { reportPage } from "../report/page.ts";
import { PeopleCommand } from "./command.ts";
import { fetchComparison } from "./compare/submitted.ts";
import { fetchPictures } from "./comparisons/pictures.ts";
import { addServerOptions, type ServerFlags, serverGuide, withServer } from "./connection/server.ts";
import { EXIT, writeAll, writeFault } from "./exit.ts";
import { optional } from "./flags/optional.ts";
import { quoteName } from "./terminal/escape.ts";

interface ReportFlags extends ServerFlags {
  readonly html?: string;
}

const GUIDE = `
Examples:
  $ svc report 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --html report.html

${serverGuide({
  0: "the report is written",
  2: "there is no such comparison, or the command line is wrong",
  3: "the server cannot be reached or failed, or the file could not be written",
})}`;

export function reportCommand(): Command {
  const command = new PeopleCommand("svc report")
    .summary("write a comparison as an HTML page to share")
    .description(
      "Writes a comparison as one HTML file: summary, rate-quality curves, worst moments as pictures, tables, settings, and how to reproduce it. " +
        "The file needs no network, and can be printed.",
    )
    .argument("<id>", "full id of the comparison")
    .addOption(optional("--html <file>", "file to write", "standard output"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: ReportFlags) =>
    withServer(flags, (connection, signal) => report(connection, id, flags, signal)),
  );
}

async function report(
  connection: Connection,
  id: string,
  { html }: ReportFlags,
  signal: AbortSignal,
): Promise<number> {
  const comparison = await fetchComparison(connection, id, signal);
  const pictures = await fetchPictures(connection, comparison, signal);
  const page = reportPage(comparisonJson(comparison), version(), pictures);
  if (html === undefined || html === "-") await writeAll(process.stdout, page);
  else await write(html, page, signal);
  return EXIT.scored;
}

async function write(name: string, text: Iterable<string>, signal: AbortSignal): Promise<void> {
  try {
    await writeFile(name, text, { signal });
  } catch (error) {
    if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped while writing the report.");
    throw new Failure(
      "INTERNAL",
      `The report could not be written to ${quoteName(name)}: ${writeFault(error)}.`,
    );
  }
}
