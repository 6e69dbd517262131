/** Sets up tenants that are Kubernetes resources. Every controller watches them; one controller writes their status. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Registry } from "prom-client";
import type { Audit } from "../../audit/audit.ts";
import type { KeySets } from "../../auth/keys/key-sets.ts";
import type { Realms } from "../../auth/tenants/realm.ts";
import { type Access, AccessError } from "../../kubernetes/access.ts";
import { ApiClient } from "../../kubernetes/api-client.ts";
import { inCluster } from "../../kubernetes/in-cluster.ts";
import { readKubeconfig } from "../../kubernetes/kubeconfig.ts";
import { LeaseHolder } from "../../kubernetes/lease.ts";
import { StatusWriter } from "../../kubernetes/status-writer.ts";
import { StorageSecrets } from "../../kubernetes/storage-secrets.ts";
import { SvcTenants } from "../../kubernetes/svc-tenants.ts";
import { acceptedRealms } from "../../kubernetes/validation-results.ts";
import type { ReadSecret } from "../../media/storages/credentials.ts";
import { UsageError } from "../../platform/config/setting.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { SourcePlan } from "./tenants-source-settings.ts";

/** Where Kubernetes mounts the files of a Pod's service account. */
const ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
/** The controller that holds this lease writes the status of the SvcTenants. */
const LEASE_NAME = "svc-tenants-status";

export interface RealmsOptions {
  readonly allowHttp: boolean;
  readonly log: Log;
  readonly registry: Registry;
  readonly audit: Audit;
}

/** The tenants and their realms. */
export interface OpenRealms {
  /** Throws TENANTS_UNAVAILABLE until they are known. */
  readonly realms: Realms;
  /** Reads Secrets with credentials of storages; undefined: there are none. */
  readonly readSecret?: ReadSecret;
  /** `keySets`: the gateway's key sets, whose state is written to the status. */
  readonly start: (keySets: KeySets) => void;
  readonly stop: () => Promise<void>;
}

/** Throws UsageError if the API server or the namespace is unknown. Sends no request yet. */
export async function openKubernetesTenants(
  plan: Extract<SourcePlan, { kind: "kubernetes" }>,
  { audit, ...options }: RealmsOptions,
): Promise<OpenRealms> {
  const access = await accessBy(plan);
  const namespace = plan.namespace ?? access.namespace;
  if (namespace === undefined)
    throw new UsageError(
      `--kubeconfig: the context of ${plan.kubeconfig} has no namespace. Give --tenants-namespace.`,
    );
  const { log, registry } = options;
  const client = new ApiClient(access);
  const changed = (name: string, outcome: "OK" | "FAULTY") =>
    audit.system("system/tenant-resource", { target: `${namespace}/${name}`, outcome });
  const tenants = new SvcTenants({ ...options, client, namespace, changed });
  log.info({ server: access.server, namespace }, "using the SvcTenants of a Kubernetes namespace as tenants");
  const secrets = new StorageSecrets(client, namespace);
  let writer: StatusWriter | undefined;
  const identity = `${hostname()}_${randomUUID()}`;
  const gained = () => writer?.wake();
  const lease = new LeaseHolder({ client, namespace, name: LEASE_NAME, identity, log, gained });
  return {
    realms: tenants.realms,
    readSecret: (secret) => secrets.read(secret),
    start: (keySets) => {
      writer = new StatusWriter({ client, namespace, tenants, keySets, secrets, lease, log, registry });
      tenants.onChange(gained);
      tenants.onChange(() => secrets.keepOnly(acceptedRealms(tenants.results).map(({ tenant }) => tenant)));
      tenants.start();
      lease.start();
      writer.start();
    },
    stop: async () => {
      secrets.stop();
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
    return await inCluster({ host, port, accountFolder: ACCOUNT_FOLDER });
  } catch (thrown) {
    if (!(thrown instanceof AccessError)) throw thrown;
    throw new UsageError(
      `${kubeconfig === undefined ? "--tenants-source kubernetes" : "--kubeconfig"}: ${thrown.message}`,
    );
  }
}
