/** Resources of others that the chart can make, as their authors define them: files of pinned Go modules. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROJECT } from "../../../scripts/gates/gate.ts";
import { CHART } from "./helm.ts";

/** go.mod and go.sum there pin the modules: what was changed on its way is refused. */
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

/** This chart's own. */
export const SVC_TENANTS = join(CHART, "crds", "svctenants.svc.dev.yaml");

/** Paths of the files with them, which are fetched first where they are not there. */
export async function crdFiles(): Promise<string[]> {
  const args = ["mod", "download", "-json", ...Object.keys(FILES)];
  const { stdout } = await promisify(execFile)("go", args, { cwd: PINS });
  // One object after another, without a comma between.
  const modules: unknown = JSON.parse(`[${stdout.trim().replaceAll(/^\}\n\{/gm, "},\n{")}]`);
  if (!Array.isArray(modules)) throw new Error("go told of no modules");
  return modules.flatMap(({ Path, Dir }: { Path: string; Dir: string }) =>
    (FILES[Path] ?? []).map((file) => join(Dir, file)),
  );
}
