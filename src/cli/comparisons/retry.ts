/** The command `svc comparisons retry ID`. */
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { ComparisonService } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { invalid } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { addServerOptions, type ServerFlags, serverGuide, withServer } from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";

interface RetryFlags extends ServerFlags {
  readonly cell?: readonly number[];
}

const GUIDE = `
Examples:
  $ svc comparisons retry 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10
  $ svc comparisons retry 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --cell 3

${serverGuide()}`;

export function retryCommand(): Command {
  const command = new PeopleCommand("svc comparisons retry")
    .summary("run the cells without a score again")
    .description(
      "Gives a new job to each cell whose job failed, was cancelled or was deleted, and prints their number. " +
        "Scored, queued and running cells are left as they are.",
    )
    .argument("<id>", "full id of the comparison")
    .addOption(
      optional("--cell <n>", "only this cell; repeatable", "all without a score").argParser(collectCell),
    )
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: RetryFlags) =>
    withServer(flags, async (connection, signal) => {
      const request = { id, cells: [...(flags.cell ?? [])] };
      const { retryCells } = ComparisonService.method;
      const { retried, comparison } = await connection.call(retryCells, request, { signal });
      await writeAll(process.stdout, [`${retried} ${retried === 1 ? "cell runs" : "cells run"} again.\n`]);
      const known = new Set(comparison?.cells.map(({ number }) => number));
      const unknown = request.cells.filter((number) => !known.has(number));
      if (unknown.length > 0)
        throw invalid(`The comparison has no cell ${unknown.join(", ")}. It has ${known.size} cells.`);
      return EXIT.scored;
    }),
  );
}

function collectCell(value: string, before: readonly number[] = []): readonly number[] {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("Use the number of a cell, from 1.");
  return [...before, Number(value)];
}
