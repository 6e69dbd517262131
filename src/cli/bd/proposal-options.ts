/** The options of `svc bd`, `svc compare` and `svc comparisons show` that propose a ladder. */
import { InvalidArgumentError, type Option } from "commander";
import { invalid } from "../../platform/failure.ts";
import { MIN_STEP, type ProposalRequest } from "../../rates/proposal.ts";
import { optional } from "../flags/optional.ts";

export interface ProposalFlags {
  /** Points between the rungs of a proposed ladder. */
  readonly propose?: number;
  readonly maxRate?: number;
}

/** `unit`: the unit of rates, for the help. */
export function proposalOptions(unit: string): Option[] {
  return [
    optional(
      "--propose <points>",
      "propose a ladder for each clip, in steps of this many VMAF points",
      "none",
    ).argParser((text) => {
      const step = numberOf(text);
      if (step >= MIN_STEP) return step;
      throw new InvalidArgumentError(`--propose needs a number of at least ${MIN_STEP}.`);
    }),
    optional("--max-rate <rate>", `with --propose: its largest rate, in ${unit}`, "none").argParser(
      (text) => {
        const rate = numberOf(text);
        if (rate > 0) return rate;
        throw new InvalidArgumentError("--max-rate needs a number above 0.");
      },
    ),
  ];
}

/** Returns NaN for text that is not a number. */
function numberOf(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Throws INVALID_REQUEST. */
export function proposalOf({ propose, maxRate }: ProposalFlags): ProposalRequest | undefined {
  if (propose === undefined && maxRate !== undefined)
    throw invalid("--max-rate limits the ladder of --propose. Give --propose too.");
  return propose === undefined ? undefined : { step: propose, maxRate };
}

/** Throws INVALID_REQUEST if CSV would not print the proposed ladders, or if the table of these is not proposed. */
export function checkProposalTable(
  flags: ProposalFlags & { readonly csv?: boolean; readonly table?: string },
): void {
  const isProposed = proposalOf(flags) !== undefined;
  const isTable = flags.table === "proposals";
  if (isTable && !isProposed)
    throw invalid("--table proposals needs the steps of the ladder. Give --propose too.");
  if (isProposed && flags.csv && !isTable)
    throw invalid(
      "--csv does not print the ladder of --propose. Add --table proposals, use --json instead of --csv, or leave out --csv.",
    );
}
