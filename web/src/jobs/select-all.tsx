/** Selects all jobs that match the filters, or none. */
import type { Job } from "./job-facts.ts";
import type { Selection } from "./selection.ts";

interface SelectAllProps {
  readonly jobs: readonly Job[];
  readonly selection: Selection;
  /** Text beside the box; omitted above a column of boxes. */
  readonly label?: string;
}

export function SelectAll({ jobs, selection, label }: SelectAllProps) {
  const chosen = jobs.reduce((count, { id }) => count + Number(selection.ids.has(id)), 0);
  const isAll = jobs.length > 0 && chosen === jobs.length;
  return (
    <label className="select-box">
      <input
        type="checkbox"
        aria-label="Select all matching jobs"
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = chosen > 0 && !isAll;
        }}
        onChange={() => selection.set(isAll ? [] : jobs.map(({ id }) => id))}
      />
      {label}
    </label>
  );
}
