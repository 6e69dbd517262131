/** Scores of the same clips over releases. The choice is in the URL. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";
import { bodyOf } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { usePageTitle } from "../ui/page-title.ts";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { ParamSelect } from "../ui/url-param.tsx";
import { TrendChart } from "./trend-chart.tsx";
import { ClipTable, ReleaseTable, summaryText } from "./trend-tables.tsx";
import { type Asked, askedIn, STATISTICS, type Trend, verdictText } from "./trend-view.ts";
import "../style/trends.css";

export function TrendsPage() {
  const [params] = useSearchParams();
  const asked = askedIn(params);
  const trend = useTrend(asked);
  usePageTitle("Trends");
  return (
    <div className="trends">
      <h1>Trends</h1>
      <Labels key={`${asked.by} ${asked.label}`} asked={asked} />
      {trend.data !== undefined && <Choices asked={asked} trend={trend.data} />}
      {trend.isPending ? (
        <Loading what="the trend" />
      ) : trend.isError ? (
        <Failed error={trend.error} retry={() => void trend.refetch()} />
      ) : (
        <Shown trend={trend.data} />
      )}
    </div>
  );
}

function useTrend({ by, label, metric, statistic, baseline, candidate }: Asked) {
  const { api } = useSession();
  const labels = label.split(/\s+/).filter((text) => text !== "");
  const query = {
    ...{ by, statistic },
    ...(labels.length > 0 && { label: labels }),
    ...(metric !== "" && { metric }),
    ...(baseline !== "" && { baseline }),
    ...(candidate !== "" && { candidate }),
  };
  return useQuery({
    queryKey: ["trend", query],
    queryFn: () => bodyOf(api.GET("/v1/trends", { params: { query } })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

function Shown({ trend }: { readonly trend: Trend }) {
  const { by, releases, delta, leftOut, metric } = trend;
  if (releases.length === 0)
    return (
      <Empty title={`No scored jobs with the label ${by}`}>
        <p>Label the jobs of each release when they are submitted:</p>
        <p>
          <code>svc jobs submit --from LIST.csv --label {by}=7</code>
        </p>
      </Empty>
    );
  return (
    <>
      {delta === undefined ? (
        <p className="quiet">There is one release so far. A second one can be compared with it.</p>
      ) : (
        <>
          <section className="card trend-summary" aria-label="Summary">
            <p>
              <strong className={`verdict ${delta.verdict.toLowerCase()}`}>
                {verdictText(delta, trend.statistic)}
              </strong>{" "}
              <span>
                {by} <bdi>{delta.candidate}</bdi> against <bdi>{delta.baseline}</bdi>
              </span>
            </p>
            <p>{summaryText(trend)}</p>
            {leftOut > 0 && (
              <p className="quiet">
                {leftOut} {leftOut === 1 ? "job is" : "jobs are"} left out: without {metric}, or with one of
                another model.
              </p>
            )}
          </section>
          <TrendChart trend={trend} />
        </>
      )}
      <ReleaseTable trend={trend} />
      <ClipTable trend={trend} />
    </>
  );
}

/** The form for the labels: the label of the releases, and the labels that jobs must have. */
function Labels({ asked }: { readonly asked: Asked }) {
  const [by, setBy] = useState(asked.by);
  const [label, setLabel] = useState(asked.label);
  const [, setParams] = useSearchParams();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Other jobs have other releases and metrics, so these choices are dropped.
    setParams({ by: by.trim(), ...(label.trim() !== "" && { label: label.trim() }) });
  };
  return (
    <form className="trend-labels" onSubmit={submit}>
      <label>
        Label{" "}
        <input
          value={by}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setBy(target.value)}
        />
      </label>
      <label>
        Only jobs with{" "}
        <input
          value={label}
          placeholder="codec=av1"
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setLabel(target.value)}
        />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

interface ChoicesProps {
  readonly asked: Asked;
  readonly trend: Trend;
}

function Choices({ asked, trend: { releases, metrics, metric, delta } }: ChoicesProps) {
  if (delta === undefined) return null;
  const names = releases.map(({ name }) => [name, name] as const);
  return (
    <fieldset className="trend-choices">
      <legend className="unseen">View</legend>
      <ParamSelect name="candidate" label="Release" value={delta.candidate} options={names} />
      <ParamSelect name="baseline" label="against" value={delta.baseline} options={names} />
      {metrics.length > 1 && (
        <ParamSelect
          name="metric"
          label="Metric"
          value={metric}
          options={metrics.map((each) => [each, each])}
        />
      )}
      <ParamSelect
        name="statistic"
        label="Statistic"
        value={asked.statistic}
        options={Object.entries(STATISTICS)}
      />
    </fieldset>
  );
}
