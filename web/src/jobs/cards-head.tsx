/** What the head of the table offers, where there are cards: all of them chosen, and their order. */
import type { Job } from "./job-facts.ts";
import { type JobQuery, ordered, orderOf } from "./job-query.ts";
import { SelectAll } from "./select-all.tsx";
import type { Selection } from "./selection.ts";

/** By how the address says them. */
const ORDERS: Readonly<Record<string, string>> = {
  age: "Youngest first",
  "-age": "Oldest first",
  "-score": "Highest score first",
  score: "Lowest score first",
  name: "Name, A to Z",
  "-name": "Name, Z to A",
  state: "State, queued first",
  "-state": "State, ended first",
};

interface CardsHeadProps {
  readonly jobs: readonly Job[];
  readonly query: JobQuery;
  readonly change: (query: JobQuery) => void;
  readonly selection: Selection;
}

export function CardsHead({ jobs, query, change, selection }: CardsHeadProps) {
  return (
    <div className="cards-head">
      <SelectAll jobs={jobs} selection={selection} label="All" />
      <select
        aria-label="Order"
        value={orderOf(query)}
        onChange={({ target }) => change(ordered(query, target.value))}
      >
        {Object.entries(ORDERS).map(([order, name]) => (
          <option key={order} value={order}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
