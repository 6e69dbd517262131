/** Wires tenants that are resources of a Kubernetes cluster: followed by every controller, their status written by one. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Registry } from "prom-client";
import type { Audit } from "../audit/audit.ts";
import type { KeySets } from "../auth/key-sets.ts";
import type { Realms } from "../auth/realm.ts";
import { type Access, AccessError } from "../kubernetes/access.ts";
import { ApiClient } from "../kubernetes/api-client.ts";
import { inCluster } from "../kubernetes/in-cluster.ts";
import { readKubeconfig } from "../kubernetes/kubeconfig.ts";
import { LeaseHolder } from "../kubernetes/lease.ts";
import { StatusWriter } from "../kubernetes/status-writer.ts";
import { SvcTenants } from "../kubernetes/svc-tenants.ts";
import type { Log } from "../platform/log.ts";
import { UsageError } from "../platform/setting.ts";
import type { SourcePlan } from "./tenants-source-settings.ts";

/** Whoever holds it writes the status of SvcTenants. */
const LEASE_NAME = "svc-tenants-status";

export interface RealmsOptions {
  readonly allowHttp: boolean;
  readonly log: Log;
  readonly registry: Registry;
  readonly audit: Audit;
}

/** Who the tenants are, and whose tokens name them. */
export interface OpenRealms {
  /** Throws TENANTS_UNAVAILABLE as long as they are not known. */
  readonly realms: Realms;
  /** `keySets`: of the gateway, to tell in the status what they hold. */
  readonly start: (keySets: KeySets) => void;
  readonly stop: () => Promise<void>;
}

/** Throws UsageError when it is not known which API server to ask, or for which namespace. Asks it nothing yet. */
export async function openKubernetesTenants(
  plan: Extract<SourcePlan, { kind: "kubernetes" }>,
  { audit, ...options }: RealmsOptions,
): Promise<OpenRealms> {
  const access = await accessBy(plan);
  const namespace = plan.namespace ?? access.namespace;
  if (namespace === undefined)
    throw new UsageError(
      `--kubeconfig: the context of ${plan.kubeconfig} names no namespace. Give --tenants-namespace.`,
    );
  const { log, registry } = options;
  const client = new ApiClient(access);
  const changed = (name: string, outcome: "OK" | "FAULTY") =>
    audit.system("system/tenant-resource", { target: `${namespace}/${name}`, outcome });
  const tenants = new SvcTenants({ ...options, client, namespace, changed });
  log.info({ server: access.server, namespace }, "tenants are the SvcTenants of a Kubernetes namespace");
  let writer: StatusWriter | undefined;
  const identity = `${hostname()}_${randomUUID()}`;
  const gained = () => writer?.wake();
  const lease = new LeaseHolder({ client, namespace, name: LEASE_NAME, identity, log, gained });
  return {
    realms: tenants.realms,
    start: (keySets) => {
      writer = new StatusWriter({ client, namespace, tenants, keySets, lease, log, registry });
      tenants.onChange(gained);
      tenants.start();
      lease.start();
      writer.start();
    },
    stop: async () => {
      await Promise.all([tenants.stop(), writer?.stop()]);
      await lease.stop();
      client.close();
    },
  };
}

async function accessBy({ kubeconfig }: { readonly kubeconfig: string | undefined }): Promise<Access> {
  try {
    if (kubeconfig !== undefined) return await readKubeconfig(kubeconfig);
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
    return await inCluster({ host, port });
  } catch (thrown) {
    if (!(thrown instanceof AccessError)) throw thrown;
    throw new UsageError(
      `${kubeconfig === undefined ? "--tenants-source kubernetes" : "--kubeconfig"}: ${thrown.message}`,
    );
  }
}
