/** Pools a whole table, as in results. */
import type { FrameTable } from "../../src/engine/frames.ts";
import { poolMetrics } from "../../src/engine/pool.ts";
import type { Pooled } from "../../src/engine/result.ts";

export function poolTable(table: FrameTable): Record<string, Pooled> {
  return Object.fromEntries(poolMetrics(table));
}
