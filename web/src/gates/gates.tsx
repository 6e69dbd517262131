/** The gates of the job and their outcomes. */

import { type Gated, isMissed, type JobGate } from "../../../src/report/missed-gates.ts";
import { ScrollArea } from "../ui/scrolls.tsx";
import { GateBadge } from "./gate-badge.tsx";
import { gateValueText } from "./value-text.ts";

const VERDICTS: Readonly<Record<JobGate["verdict"], string>> = {
  VERDICT_UNSPECIFIED: "not checked yet",
  PASSED: "passed",
  FAILED: "missed",
  UNDECIDED: "undecided: the interval includes the limit",
  UNKNOWN_METRIC: "the result has no such metric",
};

export function Gates({ job }: { readonly job: Gated }) {
  const { gates = [] } = job;
  if (gates.length === 0) return null;
  return (
    <section className="card job-gates" aria-labelledby="gates">
      <div className="section-head">
        <h2 id="gates">Gates</h2>
        <GateBadge job={job} />
      </div>
      <ScrollArea label="Gates">
        <table>
          <caption className="unseen">The lowest values with which the job passes</caption>
          <thead>
            <tr>
              <th>Metric</th>
              <th>Statistic</th>
              <th className="number">At least</th>
              <th className="number">Value</th>
              <th>Verdict</th>
            </tr>
          </thead>
          <tbody>
            {gates.map((gate) => (
              <tr key={gate.gate}>
                <th scope="row">
                  <bdi>{gate.metric}</bdi>
                </th>
                <td>{gate.statistic}</td>
                <td className="number">{gate.limit}</td>
                <td className="number">{valueText(gate)}</td>
                <td className={isMissed(gate) ? "failed" : undefined}>{VERDICTS[gate.verdict]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}

function valueText({ value, limit, interval }: JobGate): string {
  if (value === undefined) return "–";
  const [text = "", ...range] = [value, ...(interval === undefined ? [] : [interval.low, interval.high])].map(
    (number) => gateValueText(number, limit),
  );
  return range.length === 0 ? text : `${text} (${range.join(" to ")})`;
}
