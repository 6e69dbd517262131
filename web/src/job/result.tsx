/** The score and every metric's pooled scores. */

import { useMemo, useState } from "react";
import { requestedModels } from "../../../src/jobs/default-models.ts";
import { isComponent } from "../../../src/jobs/feature-names.ts";
import { maxScoreOf, USUAL_MAX_SCORE, usedModel } from "../../../src/jobs/scored-models.ts";
import { scoresCsv } from "../../../src/report/csv/scores.ts";
import type { Job, Schemas } from "../api/client.ts";
import { scoreText, unitOf } from "../chart/data/metrics.ts";
import { MetricName } from "../chart/metric-name.tsx";
import { countText, intervalText, sampleText, titleOf } from "../jobs/job-facts.ts";
import { DownloadCsv, fileStemOf } from "../ui/save.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";
import { metricsOf, modelRanges } from "./metric-order.ts";
import { ResultModels } from "./result-models.tsx";

type ScoreResult = Schemas["ScoreResult"];

const COLUMNS = [
  { name: "Mean", key: "mean" },
  { name: "Harmonic", title: "Harmonic mean", key: "harmonicMean" },
  { name: "Min", title: "Minimum", key: "min" },
  { name: "P1", title: "1st percentile", key: "p1" },
  { name: "P5", title: "5th percentile", key: "p5" },
  { name: "P10", title: "10th percentile", key: "p10" },
  { name: "P50", title: "Median", key: "p50" },
  { name: "Max", title: "Maximum", key: "max" },
  { name: "Std dev", title: "Standard deviation of the population", key: "stdDev" },
] as const satisfies readonly { name: string; title?: string; key: keyof Schemas["Pooled"] }[];

export function Result({ job, result }: { readonly job: Job; readonly result: ScoreResult }) {
  const { estimate } = result;
  if (estimate !== undefined) return <Estimated job={job} result={result} estimate={estimate} />;
  return (
    <section className="card job-result" aria-label="Result">
      <div className="big-score">
        <span className="score-value" title={String(result.score)}>
          {result.score.toFixed(2)}
        </span>
        <span className="quiet">
          <Range models={result.models} />
          <bdi>{requestedModels(job.spec)[0]}</bdi>, mean of {result.frameCount.toLocaleString("en-US")}{" "}
          frames
        </span>
      </div>
      <PooledTable job={job} result={result} />
      <ResultModels result={result} />
    </section>
  );
}

interface EstimatedProps {
  readonly job: Job;
  readonly result: ScoreResult;
  readonly estimate: Schemas["Estimate"];
}

/** An estimate knows only means, so there is no table of pooled scores. */
function Estimated({ job, result, estimate }: EstimatedProps) {
  const { low, high, scoredShare, totalFrames, units, totalUnits, seed } = estimate;
  const shown = { score: result.score, low, high, scoredShare };
  return (
    <section className="card job-result" aria-label="Result">
      <div className="big-score">
        <span className="score-value" title={String(result.score)}>
          ≈ {result.score.toFixed(1)}
        </span>
        <span className="score-interval">{intervalText(shown)}</span>
        <span className="quiet">
          <Range models={result.models} />
          <bdi>{requestedModels(job.spec)[0]}</bdi>, estimate from {sampleText(shown)}
        </span>
      </div>
      <p className="quiet">
        With 95 % confidence, the mean of all {countText(totalFrames)} frames is in {low.toFixed(2)} to{" "}
        {high.toFixed(2)}. Scored: {countText(units)} of {countText(totalUnits)} units, drawn with seed {seed}
        . Minimum, percentiles and worst frames need a score of all frames.
      </p>
      <ResultModels result={result} />
    </section>
  );
}

/** "of 110 · ", if the largest score is not the usual one. */
function Range({ models: [first] }: Pick<ScoreResult, "models">) {
  const most = first === undefined ? USUAL_MAX_SCORE : maxScoreOf(first);
  return most === USUAL_MAX_SCORE ? null : `of ${most} · `;
}

/** Metrics have the API's names on this page: `vmaf` is the first model's, regardless of the model. */
function modelTitle(metric: string, models: ScoreResult["models"]): string | undefined {
  const model = models.find((each) => each.metric === metric);
  return model && `Model ${usedModel(model)}`;
}

function PooledTable({ job, result }: { readonly job: Job; readonly result: ScoreResult }) {
  const { spec } = job;
  const models = useMemo(() => modelRanges({ spec, result }), [spec, result]);
  const all = useMemo(() => metricsOf(Object.keys(result.pooled), models), [result, models]);
  const [isAll, setIsAll] = useState(false);
  const metrics = isAll ? all : all.filter((metric) => models.has(metric) || !isComponent(metric));
  const isShort = all.length > metrics.length;
  return (
    <ScrollArea label="Pooled scores">
      <table className="pooled">
        <caption className="unseen">Pooled scores of every metric</caption>
        <thead>
          <tr>
            <th>Metric</th>
            {COLUMNS.map(({ name, key, ...rest }) => (
              <th key={key} className="number" {...rest}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => (
            <tr key={metric}>
              <th scope="row">
                <MetricName metric={metric} among={all} title={modelTitle(metric, result.models)} />
              </th>
              {COLUMNS.map(({ key }) => {
                const value = result.pooled[metric]?.[key] ?? Number.NaN;
                return (
                  <td key={key} className="number" title={String(value)}>
                    {scoreText(value, unitOf(metric, models))}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="downloads">
        {(isShort || isAll) && (
          <button type="button" className="plain link" aria-expanded={isAll} onClick={() => setIsAll(!isAll)}>
            {isAll ? "Hide component features" : `Show ${all.length - metrics.length} component features`}
          </button>
        )}
        <DownloadCsv
          of="pooled scores"
          name={`${fileStemOf(titleOf(job), job.id)}-scores`}
          lines={() => scoresCsv(result)}
        />
      </div>
    </ScrollArea>
  );
}
