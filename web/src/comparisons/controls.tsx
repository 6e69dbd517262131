/** Controls for the curves and tables: metric, clip, method and scale, kept in the URL. */
import { METHODS } from "../../../src/rates/comparison.ts";
import { nameOf } from "../chart/metric-name.tsx";
import { ParamSelect } from "../ui/url-param.tsx";
import { type Choice, type Comparison, clipsOf, hasScale, METHOD_NAMES } from "./comparison-view.ts";

interface ControlsProps {
  readonly comparison: Comparison;
  readonly choice: Choice;
}

export function Controls({ comparison, choice }: ControlsProps) {
  const metrics = (comparison.metrics ?? []).map(({ name }) => name);
  const clips = clipsOf(comparison);
  return (
    <fieldset className="comparison-controls">
      <legend className="unseen">View</legend>
      {metrics.length > 1 && (
        <ParamSelect
          name="metric"
          label="Metric"
          value={choice.metric}
          options={metrics.map((metric) => [metric, nameOf(metric, metrics)])}
        />
      )}
      {clips.length > 1 && (
        <ParamSelect
          name="clip"
          label="Curves of"
          value={choice.clip}
          options={clips.map((clip) => [clip, clip])}
        />
      )}
      <ParamSelect
        name="method"
        label="Method"
        value={choice.method}
        options={METHODS.map((method) => [method, METHOD_NAMES[method]])}
      />
      {hasScale(comparison, "log") && (
        <ParamSelect
          name="scale"
          label="Scores"
          value={choice.scale}
          options={[
            ["linear", "As they are"],
            ["log", "In decibels from the largest"],
          ]}
        />
      )}
    </fieldset>
  );
}
