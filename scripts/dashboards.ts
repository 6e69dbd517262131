/** Generates the Grafana dashboards of the chart; part of `npm run gen`. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dashboard, grafanaDashboard } from "./dashboards/model.ts";
import { NODES } from "./dashboards/nodes.ts";
import { QUALITY } from "./dashboards/quality.ts";
import { SERVICE } from "./dashboards/service.ts";
import { TENANTS } from "./dashboards/tenants.ts";

/** Relative to the checkout. */
export const DASHBOARDS_FOLDER = join("deploy", "chart", "dashboards");

const DASHBOARDS: readonly Dashboard[] = [SERVICE, TENANTS, NODES, QUALITY];

/** Writes the dashboards below `out`. Does nothing if the checkout at root has no folder for them. */
export async function generateDashboards(root: string, out: string): Promise<void> {
  if (!existsSync(join(root, DASHBOARDS_FOLDER))) return;
  const folder = join(out, DASHBOARDS_FOLDER);
  await mkdir(folder, { recursive: true });
  for (const dashboard of DASHBOARDS) {
    const text = `${JSON.stringify(grafanaDashboard(dashboard), undefined, 2)}\n`;
    await writeFile(join(folder, `${dashboard.name}.json`), text);
  }
}
