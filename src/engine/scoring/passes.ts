/** The runs of libvmaf that a score consists of: one for each sample format that its models and features take. */
import type { LibvmafFeature } from "../contract/request.ts";
import { FrameTable } from "../frames/frame-table.ts";
import { withBits } from "../media/pixels.ts";
import { factsOf } from "../planning/model-facts.ts";
import type { Model } from "../planning/models.ts";
import type { Run } from "./run.ts";

/** A model of a run. */
export interface PassModel extends Model {
  /** Its number among the models of the run, by which its file and its values in the log are named. */
  readonly index: number;
}

/** The models and features that libvmaf computes from samples of one format. */
export interface Pass {
  /** Its number among the passes of a process. */
  readonly index: number;
  /** Planar format, such as yuv420p10le. */
  readonly format: string;
  readonly models: readonly PassModel[];
  readonly features: readonly LibvmafFeature[];
  /** Name of libvmaf's log in the working directory. */
  readonly log: string;
}

type PassesRun = Pick<Run, "models" | "features" | "pairing">;

/** Upper bound of the passes of a run: one for each of the few formats, and one for XPSNR. */
const MOST_PASSES = 10;

/** Returns the number of the first pass of a run among those of its process. */
export function firstPass({ sources }: Pick<Run, "sources">): number {
  return MOST_PASSES * (sources.distorted.number ?? 0);
}

/**
 * Returns the passes of a run. Features are computed from the samples as compared, so that the models of a request do
 * not change them; a model that needs more bits per sample has a pass of its own. `before`: the number of the first one.
 */
export function passesOf({ models, features, pairing }: PassesRun, before = 0): readonly Pass[] {
  const formats = new Map<string, PassModel[]>();
  const own = features.filter((feature) => feature !== "xpsnr");
  if (own.length > 0) formats.set(pairing.format, []);
  for (const [index, model] of models.entries()) {
    const format = withBits(pairing.format, factsOf(model).bits);
    formats.set(format, [...(formats.get(format) ?? []), { ...model, index }]);
  }
  return [...formats].map(([format, judging], position) => {
    const index = before + position;
    return {
      ...{ index, format, models: judging },
      features: format === pairing.format ? own : [],
      log: `pass${index}-log.csv`,
    };
  });
}

/**
 * Joins the tables of a run's passes into one, with the models first, in the order of the request, and the other
 * metrics by name. A metric that an earlier pass has too gets the format as a suffix.
 */
export function joinPasses(
  tables: readonly FrameTable[],
  passes: readonly Pick<Pass, "format">[],
  models: readonly Pick<Model, "metric">[],
): FrameTable {
  const [first, ...others] = tables;
  if (first === undefined || others.length === 0) return first ?? new FrameTable([], 0);
  const columns = new Map<string, { readonly table: FrameTable; readonly metric: string }>();
  for (const [index, table] of tables.entries()) {
    for (const metric of table.metrics) {
      const name = columns.has(metric) ? `${metric}_${passes[index]?.format ?? index}` : metric;
      columns.set(name, { table, metric });
    }
  }
  const names = models.map(({ metric }) => metric);
  const order = [...names, ...[...columns.keys()].filter((name) => !names.includes(name)).sort()];
  const joined = new FrameTable(order, first.length);
  for (let row = 0; row < first.length; row++) {
    const value = (name: string): number => {
      const column = columns.get(name);
      return column?.table.value(column.metric, row) ?? Number.NaN;
    };
    joined.append(first.frame(row), order.map(value));
  }
  return joined;
}
