/** Downloads of a comparison: the report to hand on, and the scored encodes as CSV. */
import { comparisonCsv } from "../../../src/report/csv.ts";
import { reportPage } from "../../../src/report/page.ts";
import { fileStemOf, save } from "../ui/save.ts";
import { type Comparison, titleOf } from "./comparison-view.ts";

/** Of package.json, set by the build. */
declare const SVC_VERSION: string;

/** Both are made here, of what the page shows. */
export function Downloads({ comparison }: { readonly comparison: Comparison }) {
  const stem = fileStemOf(titleOf(comparison), comparison.id);
  const report = () =>
    save(new Blob([...reportPage(comparison, SVC_VERSION)], { type: "text/html" }), `${stem}.html`);
  const csv = () => save(new Blob([...comparisonCsv(comparison)], { type: "text/csv" }), `${stem}.csv`);
  return (
    <>
      <button type="button" onClick={report}>
        Download report
      </button>
      <button type="button" onClick={csv}>
        Download CSV
      </button>
    </>
  );
}
