/** SvcTenants for tests: their definition, an example, and the permissions of a controller. */
import { fileURLToPath } from "node:url";
import { until } from "../waiting.ts";
import type { Cluster } from "./cluster.ts";
import { ApiAnswer, type Manifest } from "./kube-api.ts";

export const CRD = fileURLToPath(new URL("../../deploy/chart/crds/svctenants.svc.dev.yaml", import.meta.url));

export function tenantResource(spec: unknown, name = "one"): Manifest {
  return { apiVersion: "svc.dev/v1", kind: "SvcTenant", metadata: { name }, spec };
}

/** A rule of a Role for SvcTenants. */
export const tenantRule = (...verbs: readonly string[]) => ({
  apiGroups: ["svc.dev"],
  resources: ["svctenants"],
  verbs,
});

/** Exactly the rules that docs/tenants.md lists for a controller. */
const RULES: readonly object[] = [
  tenantRule("get", "list", "watch"),
  { apiGroups: ["svc.dev"], resources: ["svctenants/status"], verbs: ["patch"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: ["svc-tenants-status"],
    verbs: ["get", "update"],
  },
  { apiGroups: [""], resources: ["secrets"], resourceNames: ["acme-storage"], verbs: ["get"] },
];

/** A namespace with a service account that has only a controller's permissions; returns its token. */
export async function controllerAccount(cluster: Cluster, namespace: string): Promise<string> {
  await cluster.namespace(namespace);
  const token = await cluster.serviceAccountToken(namespace, "svc");
  await allow(cluster, { namespace, name: "svc" }, RULES);
  return token;
}

/** Gives a service account these rules, in place of earlier ones. */
export async function allow(
  cluster: Cluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  rules: readonly object[],
): Promise<void> {
  const [apiVersion, apiGroup] = ["rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"];
  const metadata = { name, namespace };
  await cluster.admin.apply({ apiVersion, kind: "Role", metadata, rules });
  await cluster.admin.apply({
    ...{ apiVersion, kind: "RoleBinding", metadata },
    roleRef: { apiGroup, kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  });
}

/** The condition Ready of a SvcTenant, and the status of its keys. */
export async function statusOf(cluster: Cluster, namespace: string, name: string): Promise<ApiAnswer> {
  const answer = await cluster.admin.get(`/apis/svc.dev/v1/namespaces/${namespace}/svctenants/${name}`);
  const conditions = answer.at("status", "conditions");
  const ready = (Array.isArray(conditions) ? conditions : []).find(
    (one) => new ApiAnswer(one).at("type") === "Ready",
  );
  return new ApiAnswer({
    ready,
    keys: answer.at("status", "keys"),
    generation: answer.at("metadata", "generation"),
    observed: answer.at("status", "observedGeneration"),
    version: answer.at("metadata", "resourceVersion"),
  });
}

/** The condition StoragesReady of a SvcTenant: its status and reason. */
export async function storagesReady(cluster: Cluster, namespace: string, name: string): Promise<string> {
  const answer = await cluster.admin.get(`/apis/svc.dev/v1/namespaces/${namespace}/svctenants/${name}`);
  const conditions = answer.at("status", "conditions");
  const found = (Array.isArray(conditions) ? conditions : [])
    .map((one) => new ApiAnswer(one))
    .find((one) => one.at("type") === "StoragesReady");
  return found === undefined ? "none" : `${String(found.at("status"))} ${String(found.at("reason"))}`;
}

/** Waits for the condition Ready of a SvcTenant. */
export async function readyIs(
  {
    cluster,
    namespace,
    name,
  }: { readonly cluster: Cluster; readonly namespace: string; readonly name: string },
  status: string,
  reason: string,
): Promise<void> {
  const holds = async () => {
    const now = await statusOf(cluster, namespace, name);
    return now.at("ready", "status") === status && now.at("ready", "reason") === reason;
  };
  await until(holds, `${name} to be ${status}, ${reason}`);
}
