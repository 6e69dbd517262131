/** Converts the gates of a job, checked or not, to protocol messages. */
import { create } from "@bufbuild/protobuf";
import { type JobGate, JobGate_Verdict, JobGateSchema } from "../gen/proto/svc/v1/job_pb.ts";
import type { GateOutcome } from "../jobs/gates/outcome.ts";

/** A gate without a verdict has not been checked. */
type GateView = Pick<GateOutcome, "gate"> & Partial<GateOutcome>;

export function gateMessage({ gate, verdict, value, interval }: GateView): JobGate {
  return create(JobGateSchema, {
    gate: gate.text,
    metric: gate.metric,
    statistic: gate.stat,
    limit: gate.limit,
    ...(verdict !== undefined && { verdict: JobGate_Verdict[verdict] }),
    ...(value !== undefined && { value }),
    ...(interval && { interval }),
  });
}
