/** What is shown of the jobs: words to search for, states, and labels. */
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { countText, JOB_STATES, type JobState, STATE_NAMES } from "./job-facts.ts";
import { isFiltered, type JobQuery, toggled } from "./job-query.ts";

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
      {query.labels.map((label) => (
        <button
          key={label}
          type="button"
          className="label-chip chosen"
          title={`${label}\nShow others too`}
          aria-label={`Stop filtering by ${label}`}
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
  return { ...query, states: [], labels: [], text: "" };
}

/** Milliseconds without a key, after which the address follows: browsers refuse to change it at every one. */
const PAUSE_MS = 200;

interface SearchBoxProps {
  readonly text: string;
  readonly change: (text: string) => void;
}

function SearchBox({ text, change }: SearchBoxProps) {
  const [typed, setTyped] = useState(text);
  /** What the address says as far as this box knows: when it says something else, somebody went back. */
  const told = useRef(text);
  useEffect(() => {
    if (text === told.current) return;
    told.current = text;
    setTyped(text);
  }, [text]);
  const tell = useEffectEvent(() => {
    told.current = typed;
    change(typed);
  });
  // Only keys begin the pause anew: where many jobs change this is drawn more often than it is long.
  useEffect(() => {
    if (typed === told.current) return undefined;
    const timer = setTimeout(() => tell(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      type="search"
      className="search-box"
      aria-label="Search jobs"
      placeholder="Search names, files, labels, ids"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
