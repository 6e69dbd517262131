/** The order of the jobs, of which the table's columns are some. */
import { type JobQuery, ordered, orderOf } from "./job-query.ts";

/** By how the address says them. */
const ORDERS: Readonly<Record<string, string>> = {
  age: "Newest first",
  "-age": "Oldest first",
  ended: "Last ended first",
  "-ended": "First ended first",
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
