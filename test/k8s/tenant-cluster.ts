/** A cluster with SvcTenants, an identity provider for them, and a folder for the controllers that follow them. */
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer } from "../auth/tokens.ts";
import { MediaDirectory } from "../media/directory.ts";
import type { ControllerProcess } from "../server/controller-process.ts";
import { Cluster } from "./cluster.ts";
import { followTenants } from "./followers.ts";
import type { Manifest } from "./kube-api.ts";
import { CRD, controllerAccount, readyIs, tenantResource } from "./svctenants.ts";

export const NAMESPACE = "svc-system";
export const IN = { namespace: NAMESPACE };

export const issuerOf = (tenant: string): string => `https://id.example/${tenant}`;

/** Claims of a tenant's tokens. */
export const claimsOf = (tenant: string) => ({ iss: issuerOf(tenant), tid: tenant });

interface Parts {
  readonly cluster: Cluster;
  readonly directory: MediaDirectory;
  readonly keyServer: KeyServer;
  readonly signer: Signer;
  readonly account: string;
}

export class TenantCluster implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly directory: MediaDirectory;
  /** The endpoint of all tenants' keys. */
  readonly keyServer: KeyServer;
  readonly signer: Signer;
  /** Token of a service account with a controller's permissions. */
  readonly account: string;

  private constructor({ cluster, directory, keyServer, signer, account }: Parts) {
    this.cluster = cluster;
    this.directory = directory;
    this.keyServer = keyServer;
    this.signer = signer;
    this.account = account;
  }

  static async start(): Promise<TenantCluster> {
    const cluster = await Cluster.start();
    await cluster.admin.install(CRD);
    const account = await controllerAccount(cluster, NAMESPACE);
    const signer = newSigner("one");
    const keyServer = await KeyServer.open(keys(signer));
    const directory = await MediaDirectory.open();
    return new TenantCluster({ cluster, directory, keyServer, signer, account });
  }

  /** Path of a kubeconfig for the namespace and a token; `server` overrides the address of the server. */
  kubeconfig(name: string, token = this.account, server = this.cluster.url): Promise<string> {
    const content = this.cluster.kubeconfigFor({ token, namespace: NAMESPACE, server });
    return this.cluster.write(`${name}.kubeconfig`, content);
  }

  /** A controller that keeps its data under a name. */
  follower(name: string, kubeconfig: string, args: readonly string[] = []): Promise<ControllerProcess> {
    return followTenants({ dataDir: this.directory.file(name), kubeconfig, args });
  }

  /** A SvcTenant of this name, with these members changed. */
  tenant(tenantId: string, over: object = {}, name = tenantId): Manifest {
    const oidc = { issuer: issuerOf(tenantId), jwksEndpoint: this.keyServer.url };
    return tenantResource({ tenantId, oidc, ...over }, name);
  }

  readyIs(name: string, status: string, reason: string): Promise<void> {
    return readyIs({ cluster: this.cluster, namespace: NAMESPACE, name }, status, reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keyServer.close();
    await this.cluster[Symbol.asyncDispose]();
    await this.directory.remove();
  }
}
