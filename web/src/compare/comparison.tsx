/** The comparison: the jobs compared, the jobs left out, and all views. */

import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { requestedModels } from "../../../src/jobs/default-models.ts";
import { nameOf } from "../chart/metric-name.tsx";
import { framesOf } from "../job/frames/frame-ranges.ts";
import { rangesOfAll } from "../job/metric-order.ts";
import { CopyLink } from "../ui/copy-button.tsx";
import { ParamSelect } from "../ui/url-param.tsx";
import { metricsInAll, partitionComparable } from "./comparable.ts";
import { type Chosen, typedRates } from "./compare-query.ts";
import { type Compared, comparedOf } from "./compared.ts";
import { NotCompared } from "./not-compared.tsx";
import { Picker } from "./picker.tsx";
import { basisOf } from "./rates/rate-basis.ts";
import { ScoredApart } from "./scored-apart.tsx";
import type { Entry } from "./use-jobs.ts";
import { Views } from "./views.tsx";

interface ComparisonProps {
  readonly chosen: readonly Chosen[];
  /** Number of jobs beyond the limit. */
  readonly left: number;
  readonly choose: (chosen: readonly Chosen[]) => void;
  readonly entries: readonly Entry[];
  readonly retry: () => void;
}

export function Comparison({ chosen, left, choose, entries, retry }: ComparisonProps) {
  const [params] = useSearchParams();
  const jobs = useMemo(() => entries.flatMap(({ job }) => (job === undefined ? [] : [job])), [entries]);
  const { comparable, others } = useMemo(() => partitionComparable(jobs), [jobs]);
  const [first] = comparable;
  const models = useMemo(() => rangesOfAll(comparable), [comparable]);
  const metrics = useMemo(() => metricsInAll(comparable), [comparable]);
  const asked = params.get("metric") ?? "";
  const metric = metrics.includes(asked) ? asked : "vmaf";
  const compared = useCompared(chosen, comparable, metric, params.getAll("rate").join("\n"));
  return (
    <>
      <Header compared={compared} metrics={metrics} metric={metric} />
      <ScoredApart compared={compared} />
      <NotCompared {...{ chosen, left, choose, entries, others, retry }} />
      {compared.length > 0 && <Views {...{ chosen, choose, compared, metric, models }} />}
      <MoreJobs chosen={chosen} choose={choose} reference={first?.spec.reference} />
    </>
  );
}

function useCompared(
  chosen: readonly Chosen[],
  comparable: ReturnType<typeof partitionComparable>["comparable"],
  metric: string,
  rates: string,
): readonly Compared[] {
  return useMemo(() => {
    const basis = basisOf(comparable);
    const typed = typedRates(new URLSearchParams(rates.split("\n").map((rate) => ["rate", rate])));
    return chosen.flatMap(({ id, ladder }, index) => {
      const job = comparable.find((each) => each.id === id);
      if (job === undefined) return [];
      return [comparedOf(job, { number: index + 1, ladder, metric, basis, typedRate: typed.get(id) })];
    });
  }, [chosen, comparable, metric, rates]);
}

interface HeaderProps {
  readonly compared: readonly Compared[];
  readonly metrics: readonly string[];
  readonly metric: string;
}

function Header({ compared, metrics, metric }: HeaderProps) {
  const job = compared[0]?.job;
  if (job === undefined) return null;
  const { total } = framesOf(job);
  return (
    <div className="compare-head">
      <p>
        {compared.length} {compared.length === 1 ? "encode" : "encodes"} of{" "}
        <bdi className="mono path">{job.spec.reference}</bdi>
        <span className="quiet">
          {total > 0 && ` · ${total.toLocaleString("en-US")} frames`} ·{" "}
          <bdi>{requestedModels(job.spec)[0]}</bdi>
        </span>
      </p>
      {metrics.length > 1 && (
        <ParamSelect
          name="metric"
          label="Metric"
          value={metric}
          usual="vmaf"
          options={metrics.map((each) => [each, nameOf(each, metrics)])}
        />
      )}
      <CopyLink />
    </div>
  );
}

interface MoreJobsProps {
  readonly chosen: readonly Chosen[];
  readonly choose: (chosen: readonly Chosen[]) => void;
  readonly reference: string | undefined;
}

function MoreJobs({ chosen, choose, reference }: MoreJobsProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="card" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <h2>Other jobs</h2>
      </summary>
      {isOpen && (
        <Picker
          chosen={chosen}
          first={reference}
          choose={(next) => {
            setIsOpen(false);
            choose(next);
          }}
        />
      )}
    </details>
  );
}
