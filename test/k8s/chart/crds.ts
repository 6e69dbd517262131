/** Third-party definitions of resources that the chart can create, from pinned Go modules. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROJECT } from "../../../scripts/gates/gate.ts";
import { CHART } from "./helm.ts";

/** go.mod and go.sum pin the modules, so changed downloads are refused. */
const PINS = join(PROJECT, "scripts", "k8s", "tools", "crds");

const FILES: Readonly<Record<string, readonly string[]>> = {
  "sigs.k8s.io/gateway-api": [
    "config/crd/standard/gateway.networking.k8s.io_grpcroutes.yaml",
    "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
  ],
  "github.com/prometheus-operator/prometheus-operator": [
    "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
    "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
    "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
  ],
  "github.com/kedacore/keda/v2": ["config/crd/bases/keda.sh_scaledobjects.yaml"],
};

/** This chart's own definition. */
export const SVC_TENANTS = join(CHART, "crds", "svctenants.svc.dev.yaml");

/** Paths of the files with the definitions; missing ones are downloaded first. */
export async function crdFiles(): Promise<string[]> {
  const args = ["mod", "download", "-json", ...Object.keys(FILES)];
  const { stdout } = await promisify(execFile)("go", args, { cwd: PINS });
  // Consecutive objects without commas.
  const modules: unknown = JSON.parse(`[${stdout.trim().replaceAll(/^\}\n\{/gm, "},\n{")}]`);
  if (!Array.isArray(modules)) throw new Error("go listed no modules");
  return modules.flatMap(({ Path, Dir }: { Path: string; Dir: string }) =>
    (FILES[Path] ?? []).map((file) => join(Dir, file)),
  );
}
