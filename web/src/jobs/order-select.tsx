/** Selects the order of the jobs. The table's columns offer only some of these. */
import { type JobQuery, ordered, orderOf } from "./job-query.ts";

/** By the name in the URL. */
const ORDERS: Readonly<Record<string, string>> = {
  age: "Newest first",
  "-age": "Oldest first",
  ended: "Recently ended first",
  "-ended": "Earliest ended first",
  "-score": "Highest score first",
  score: "Lowest score first",
  "-rate": "Highest bit rate first",
  rate: "Lowest bit rate first",
  name: "Name, A to Z",
  "-name": "Name, Z to A",
  state: "State, queued first",
  "-state": "State, ended first",
};

interface OrderSelectProps {
  readonly query: JobQuery;
  readonly change: (query: JobQuery) => void;
}

export function OrderSelect({ query, change }: OrderSelectProps) {
  return (
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
  );
}
