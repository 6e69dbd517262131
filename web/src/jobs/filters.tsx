/** Filters and order of the job list: search words, states, missed gates, labels and times. */

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLocation } from "react-router";
import { JOB_STATES, type JobState } from "../../../src/jobs/states.ts";
import type { SearchState } from "../ui/keys.tsx";
import { countText, STATE_NAMES } from "./job-facts.ts";
import { EVERY_JOB, isFiltered, type JobQuery, toggled } from "./job-query.ts";
import { OrderSelect } from "./order-select.tsx";
import { TimeFilter } from "./time-filter.tsx";

interface FiltersProps {
  readonly query: JobQuery;
  readonly counts: Readonly<Record<JobState, number>>;
  readonly change: (query: JobQuery) => void;
}

export function Filters({ query, counts, change }: FiltersProps) {
  return (
    <search className="filters">
      <SearchBox text={query.text} change={(text) => change({ ...query, text })} />
      <fieldset className="state-filter">
        <legend className="unseen">States</legend>
        {JOB_STATES.map((state) => (
          <button
            key={state}
            type="button"
            className="state-toggle"
            aria-pressed={query.states.includes(state)}
            onClick={() => change({ ...query, states: toggled(query.states, state) })}
          >
            {STATE_NAMES[state]} <span className="count">{countText(counts[state])}</span>
          </button>
        ))}
      </fieldset>
      <fieldset className="gate-filter">
        <legend className="unseen">Gates</legend>
        <label title="Succeeded, but misses one of its gates">
          <input
            type="checkbox"
            checked={query.gatesMissed}
            onChange={({ target }) => change({ ...query, gatesMissed: target.checked })}
          />{" "}
          Gate missed
        </label>
      </fieldset>
      <TimeFilter query={query} change={change} />
      <OrderSelect query={query} change={change} />
      {query.labels.map((label) => (
        <button
          key={label}
          type="button"
          className="label-chip chosen"
          title={`${label}\nRemove this filter`}
          aria-label={`Remove filter ${label}`}
          onClick={() => change({ ...query, labels: toggled(query.labels, label) })}
        >
          <bdi>{label}</bdi> <span aria-hidden="true">✕</span>
        </button>
      ))}
      {isFiltered(query) && (
        <button type="button" className="plain" onClick={() => change(unfiltered(query))}>
          Clear filters
        </button>
      )}
    </search>
  );
}

export function unfiltered(query: JobQuery): JobQuery {
  const { sort, descending } = query;
  return { ...EVERY_JOB, sort, descending };
}

/** Milliseconds after the last keystroke before the URL is updated: browsers throttle updates at every keystroke. */
const PAUSE_MS = 200;

interface SearchBoxProps {
  readonly text: string;
  readonly change: (text: string) => void;
}

function SearchBox({ text, change }: SearchBoxProps) {
  const [typed, setTyped] = useState(text);
  const box = useRef<HTMLInputElement>(null);
  const { state } = useLocation();
  const isWanted = (state as SearchState | null)?.search === true;
  useEffect(() => {
    if (isWanted) box.current?.focus();
  }, [isWanted]);
  /** The URL's text when this box last read or wrote it. If the URL has another text, the user navigated. */
  const known = useRef(text);
  useEffect(() => {
    if (text === known.current) return;
    known.current = text;
    setTyped(text);
  }, [text]);
  const report = useEffectEvent(() => {
    known.current = typed;
    change(typed);
  });
  // Only keystrokes restart the pause: while many jobs change, renders follow each other faster than the
  // pause ends.
  useEffect(() => {
    if (typed === known.current) return undefined;
    const timer = setTimeout(() => report(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      ref={box}
      type="search"
      className="search-box"
      aria-label="Search jobs"
      placeholder="Search names, files, labels, ids"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
