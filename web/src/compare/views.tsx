/** Table, rate chart and frame chart of the comparable jobs. They share the loaded frames and the limit. */
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { useSearchParams } from "react-router";
import { badSide, type ModelRanges, unitOf } from "../chart/data/metrics.ts";
import { framesOf } from "../job/frames/frame-ranges.ts";
import { useSession } from "../session/session.ts";
import { rowOf } from "./compare-order.ts";
import { type Chosen, limitOf } from "./compare-query.ts";
import { CompareTable } from "./compare-table.tsx";
import { type Compared, columnOf, pointsOf } from "./compared.ts";
import { FrameLines } from "./frame-lines.tsx";
import { Overlay } from "./overlay.ts";
import { Deltas } from "./rates/deltas.tsx";
import { RateChart } from "./rates/rate-chart.tsx";

interface ViewsProps {
  readonly chosen: readonly Chosen[];
  readonly choose: (chosen: readonly Chosen[]) => void;
  /** At least one. */
  readonly compared: readonly Compared[];
  readonly metric: string;
  readonly models: ModelRanges;
}

/** Default limit: frames of good quality seldom have a lower VMAF score. */
const USUAL_LIMIT = "80";

export function Views({ chosen, choose, compared, metric, models }: ViewsProps) {
  const [params] = useSearchParams();
  const overlay = useOverlay(compared, metric);
  const version = useSyncExternalStore(
    useCallback((look) => overlay.table.watch(look), [overlay]),
    () => overlay.table.version,
  );
  const limit = limitOf(params.get("threshold") ?? (models.has(metric) ? USUAL_LIMIT : null));
  const side = badSide(unitOf(metric, models));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the table's content
  const rows = useMemo(() => {
    const { table } = overlay;
    return compared.map((each) => {
      const counted =
        limit === undefined
          ? undefined
          : table.column(columnOf(metric, each.number))?.countBeyond(side, limit, 0, table.rows);
      return rowOf(each, counted?.beyond);
    });
  }, [compared, metric, limit, side, overlay, version]);
  const points = useMemo(() => pointsOf(compared), [compared]);
  return (
    <>
      <CompareTable {...{ rows, chosen, choose, metric, models, limit }} />
      <section className="card rates" aria-label="Score and bit rate">
        <RateChart points={points} metric={metric} models={models} />
        <Deltas {...{ chosen, points, compared, metric, models }} />
      </section>
      <FrameLines {...{ overlay, version, compared, metric, models, limit }} />
    </>
  );
}

/** Returns the overlay, which is the same object while the jobs and the metric are the same. */
function useOverlay(compared: readonly Compared[], metric: string): Overlay {
  const { credentials } = useSession();
  const { total, step } = compared.map(({ job }) => framesOf(job)).reduce(longer);
  const members = compared.map(({ number, id }) => `${number} ${id}`).join("\n");
  const overlay = useMemo(() => {
    const lines = members.split("\n").map((member) => {
      const [number = "", id = ""] = member.split(" ");
      return { id, column: columnOf(metric, Number(number)) };
    });
    return new Overlay(credentials, { lines, metric, total, step });
  }, [credentials, members, metric, total, step]);
  useEffect(() => overlay.follow(compared.map(({ job }) => job)), [overlay, compared]);
  return overlay;
}

/** The number of frames is 0 until it is known. */
function longer(one: ReturnType<typeof framesOf>, other: ReturnType<typeof framesOf>) {
  return one.total >= other.total ? one : other;
}
