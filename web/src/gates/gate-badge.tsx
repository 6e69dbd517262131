/** Whether a job meets its gates. */
import { type Gated, missedGates } from "../../../src/report/missed-gates.ts";

/** The badge; nothing for a job without gates, and before they are checked. */
export function GateBadge({ job }: { readonly job: Gated }) {
  const { gates = [] } = job;
  const [first] = gates;
  if (first === undefined || first.verdict === "VERDICT_UNSPECIFIED") return null;
  const missed = missedGates(job);
  if (missed.length === 0)
    return (
      <span className="gate-badge" title={gates.map(({ gate }) => gate).join("\n")}>
        gates passed
      </span>
    );
  return (
    <span className="gate-badge missed" title={missed.map(({ gate }) => gate).join("\n")}>
      {missed.length === 1 ? "gate missed" : `${missed.length} gates missed`}
    </span>
  );
}
