/** What the curves and tables show: metric, clip, method and scale, kept in the URL. */
import { nameOf } from "../chart/metric-name.tsx";
import { useSetParam } from "../ui/url-param.ts";
import { type Choice, type Comparison, clipsOf, hasScale, METHOD_NAMES, METHODS } from "./comparison-view.ts";

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
        <Select
          name="metric"
          label="Metric"
          value={choice.metric}
          options={metrics.map((metric) => [metric, nameOf(metric, metrics)])}
        />
      )}
      {clips.length > 1 && (
        <Select
          name="clip"
          label="Curves of"
          value={choice.clip}
          options={clips.map((clip) => [clip, clip])}
        />
      )}
      <Select
        name="method"
        label="Method"
        value={choice.method}
        options={METHODS.map((method) => [method, METHOD_NAMES[method]])}
      />
      {hasScale(comparison, "log") && (
        <Select
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

interface SelectProps {
  /** The parameter of the URL. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

function Select({ name, label, value, options }: SelectProps) {
  const setParam = useSetParam();
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={({ target }) => setParam(name, target.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
