/** Options that filter jobs by state, label and time. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Command, InvalidArgumentError, type Option } from "commander";
import type { JobFilterSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { JOB_STATES, type JobState } from "../../jobs/states.ts";
import { pastOption } from "../flags/instants.ts";
import { offering, optional } from "../flags/optional.ts";
import { type Labels, labelOption } from "./labels.ts";
import { stateOf } from "./state.ts";

export interface FilterFlags {
  readonly state?: readonly JobState[];
  readonly label?: Labels;
  /** Milliseconds since 1970, like the other times. */
  readonly since?: number;
  readonly until?: number;
  readonly endedSince?: number;
  readonly endedUntil?: number;
  readonly gatesMissed?: boolean;
}

export function stateOption(help: string): Option {
  const words = JOB_STATES.join(", ").toLowerCase();
  const option = optional("--state <state>", `${help}: ${words}; repeatable`, "any").argParser(
    (value: string, before: readonly JobState[] | undefined) => {
      const state = JOB_STATES.find((known) => known === value.toUpperCase());
      if (state === undefined) throw new InvalidArgumentError(`Valid states: ${words}.`);
      return [...(before ?? []), state];
    },
  );
  return offering(option, words.split(", "));
}

export function addFilterOptions<C extends Command>(command: C): C {
  return addSubmitOptions(command.addOption(stateOption("only jobs in this state")));
}

/** Adds the options that apply to jobs in any one state. */
export function addSubmitOptions<C extends Command>(command: C): C {
  return command
    .addOption(labelOption("only jobs with this label"))
    .addOption(pastOption("--since <time>", "only jobs submitted at or after this time"))
    .addOption(pastOption("--until <time>", "only jobs submitted before this time"));
}

/** Adds the options that apply to finished jobs. */
export function addEndOptions<C extends Command>(command: C): C {
  return command
    .addOption(pastOption("--ended-since <time>", "only jobs that ended at or after this time"))
    .addOption(pastOption("--ended-until <time>", "only jobs that ended before this time"))
    .addOption(optional("--gates-missed", "only jobs that succeeded but miss one of their gates", "off"));
}

/** Returns the given parts of the filter. ListJobs has the same fields in its request. */
export function filterOf(
  flags: FilterFlags,
): Omit<MessageInitShape<typeof JobFilterSchema>, "$typeName" | "ids"> {
  const { state = [], label = {}, since, until, endedSince, endedUntil, gatesMissed = false } = flags;
  return {
    states: state.map(stateOf),
    labels: label,
    gatesMissed,
    ...(since !== undefined && { since: timestampFromMs(since) }),
    ...(until !== undefined && { until: timestampFromMs(until) }),
    ...(endedSince !== undefined && { endedSince: timestampFromMs(endedSince) }),
    ...(endedUntil !== undefined && { endedUntil: timestampFromMs(endedUntil) }),
  };
}

/** Returns whether any of the options is given. */
export function isFiltered({
  state,
  label,
  since,
  until,
  endedSince,
  endedUntil,
  gatesMissed,
}: FilterFlags): boolean {
  return [state, label, since, until, endedSince, endedUntil, gatesMissed].some(
    (value) => value !== undefined,
  );
}
