/** Pools a whole table, as in results. */

import type { Pooled } from "../../src/engine/contract/result.ts";
import type { FrameTable } from "../../src/engine/frames/frame-table.ts";
import { poolMetrics } from "../../src/engine/results/pool.ts";

export function poolTable(table: FrameTable): Record<string, Pooled> {
  return Object.fromEntries(poolMetrics(table));
}
