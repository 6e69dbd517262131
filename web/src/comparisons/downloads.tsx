/** Downloads of a comparison: the report as HTML, and the scored encodes as CSV. */
import { useMutation } from "@tanstack/react-query";
import { comparisonCsv } from "../../../src/report/csv/encodes.ts";
import { reportPage } from "../../../src/report/page.ts";
import { useSession } from "../session/session.ts";
import { save } from "../ui/save.tsx";
import { type Comparison, fileOf } from "./comparison-view.ts";
import { fetchPictures } from "./report-pictures.ts";

/** The version in package.json, set by the build. */
declare const SVC_VERSION: string;

/**
 * The download buttons. The browser generates both files from the data of the page; for the report, it also
 * fetches stills of the worst moments.
 */
export function Downloads({ comparison }: { readonly comparison: Comparison }) {
  const session = useSession();
  const stem = fileOf(comparison);
  const report = useMutation({
    mutationFn: () => fetchPictures(session, comparison),
    onSuccess: (pictures) =>
      save(
        new Blob([...reportPage(comparison, SVC_VERSION, pictures)], { type: "text/html" }),
        `${stem}.html`,
      ),
  });
  const csv = () => save(new Blob([...comparisonCsv(comparison)], { type: "text/csv" }), `${stem}.csv`);
  return (
    <>
      <button type="button" disabled={report.isPending} onClick={() => report.mutate()}>
        {report.isPending ? "Preparing …" : "Download report"}
      </button>
      {report.isError && (
        <span className="failed" role="alert">
          {report.error.message}
        </span>
      )}
      <button type="button" onClick={csv}>
        Download CSV
      </button>
    </>
  );
}
