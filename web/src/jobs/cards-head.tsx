/** The head of the card list: a box that selects all jobs. */
import type { Job } from "./job-facts.ts";
import { SelectAll } from "./select-all.tsx";
import type { Selection } from "./selection.ts";

interface CardsHeadProps {
  readonly jobs: readonly Job[];
  readonly selection: Selection;
}

export function CardsHead({ jobs, selection }: CardsHeadProps) {
  return (
    <div className="cards-head">
      <SelectAll jobs={jobs} selection={selection} label="All" />
    </div>
  );
}
