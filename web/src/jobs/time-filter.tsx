/** Filters jobs by submission time: a period up to now, or between two instants. */
import type { JobQuery } from "./job-query.ts";
import { addressText, instantOf, instantText, localText } from "./times.ts";

/** By the name in the URL. */
const SPANS: Readonly<Record<string, string>> = {
  "": "Any time",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
};
const BETWEEN = "between";

interface TimeFilterProps {
  readonly query: JobQuery;
  readonly change: (query: JobQuery) => void;
}

export function TimeFilter({ query, change }: TimeFilterProps) {
  const { since, until } = query;
  const isBetween = until !== "" || !Object.hasOwn(SPANS, since);
  const choose = (chosen: string) =>
    change({ ...query, since: chosen === BETWEEN ? startOfToday() : chosen, until: "" });
  return (
    <fieldset className="time-filter">
      <legend className="unseen">Submitted</legend>
      <select
        aria-label="Submitted"
        value={isBetween ? BETWEEN : since}
        onChange={({ target }) => choose(target.value)}
      >
        {Object.entries(SPANS).map(([span, name]) => (
          <option key={span} value={span}>
            {name}
          </option>
        ))}
        <option value={BETWEEN}>Between …</option>
      </select>
      {isBetween && (
        <>
          <TimeField name="From" text={since} change={(text) => change({ ...query, since: text })} />
          <TimeField name="To" text={until} change={(text) => change({ ...query, until: text })} />
        </>
      )}
    </fieldset>
  );
}

function startOfToday(): string {
  return instantText(new Date().setHours(0, 0, 0, 0));
}

interface TimeFieldProps {
  readonly name: string;
  readonly text: string;
  readonly change: (text: string) => void;
}

function TimeField({ name, text, change }: TimeFieldProps) {
  return (
    <label>
      {name}{" "}
      <input
        type="datetime-local"
        value={localText(instantOf(text, Date.now()))}
        onChange={({ target }) => change(addressText(target.value))}
      />
    </label>
  );
}
