/** A Kubernetes API server with etcd for a test, on loopback and in the temporary folder; removed at the end. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool } from "../../scripts/k8s/tools.ts";
import { Authority } from "../server/certificates.ts";
import { freePort } from "../server/free-port.ts";
import { ApiAnswer, KubeApi } from "./kube-api.ts";
import { Program } from "./program.ts";

/** Default admission control: PodSecurity, ServiceAccount, quotas, validation by policies. */
const API_SERVER_FLAGS = {
  "bind-address": "127.0.0.1",
  // No Service of the API server is reachable here.
  "endpoint-reconciler-type": "none",
  "authorization-mode": "RBAC",
  "service-cluster-ip-range": "10.96.0.0/16",
  "service-account-issuer": "https://kubernetes.default.svc",
  profiling: "false",
};

/** Members of this group may do everything. */
const ADMIN = { user: "admin", group: "system:masters" };

export interface ClusterOptions {
  /** Additional flags of kube-apiserver, without their dashes. */
  readonly flags?: Readonly<Record<string, string>>;
}

interface Places {
  readonly folder: string;
  readonly etcdPort: number;
  readonly apiPort: number;
  readonly authority: Authority;
  /** Flags of kube-apiserver. */
  readonly flags: Readonly<Record<string, string>>;
}

export class Cluster implements AsyncDisposable {
  /** Administrator access, for requests of tests. */
  readonly admin: KubeApi;
  /** Path of the administrator's kubeconfig, for the default namespace. */
  readonly kubeconfig: string;
  /** Path of the certificate that signed the server's certificate. */
  readonly caFile: string;
  readonly #places: Places;
  #etcd: Program | undefined;
  #api: Program | undefined;

  private constructor(places: Places, admin: KubeApi) {
    this.#places = places;
    this.admin = admin;
    this.kubeconfig = join(places.folder, "admin.kubeconfig");
    this.caFile = places.authority.path;
  }

  /** Resolves when the server is ready and its own roles and namespaces exist. */
  static async start({ flags = {} }: ClusterOptions = {}): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "svc-k8s-"));
    let cluster: Cluster | undefined;
    try {
      cluster = await Cluster.#prepare(folder, flags);
      await cluster.#startEtcd();
      await cluster.startApi();
      return cluster;
    } catch (error) {
      await (cluster?.[Symbol.asyncDispose]() ?? rmSync(folder, { recursive: true, force: true }));
      throw error;
    }
  }

  static async #prepare(folder: string, given: Readonly<Record<string, string>>): Promise<Cluster> {
    const file = (name: string) => join(folder, name);
    const authority = await Authority.open(folder, "kubernetes-ca");
    const server = await authority.issue("kube-apiserver");
    const token = randomUUID();
    await writeFile(file("tokens.csv"), `${token},${ADMIN.user},${ADMIN.user},${ADMIN.group}\n`);
    await writeServiceAccountKeys(folder);
    const [etcdPort, apiPort] = [await freePort(), await freePort()];
    const flags = {
      ...API_SERVER_FLAGS,
      "secure-port": String(apiPort),
      "etcd-servers": `http://127.0.0.1:${etcdPort}`,
      "cert-dir": folder,
      "tls-cert-file": server.cert,
      "tls-private-key-file": server.key,
      "client-ca-file": authority.path,
      "token-auth-file": file("tokens.csv"),
      "service-account-key-file": file("accounts.pub"),
      "service-account-signing-key-file": file("accounts.key"),
      ...given,
    };
    const admin = new KubeApi(`https://127.0.0.1:${apiPort}`, { ca: await authority.pem(), token });
    const cluster = new Cluster({ folder, etcdPort, apiPort, authority, flags }, admin);
    await writeFile(cluster.kubeconfig, cluster.kubeconfigFor({ token }));
    return cluster;
  }

  /** "https://127.0.0.1:PORT" */
  get url(): string {
    return this.admin.url;
  }

  get apiPort(): number {
    return this.#places.apiPort;
  }

  /** A kubeconfig for a token; `server` overrides the address of the server. */
  kubeconfigFor({
    token,
    namespace = "default",
    server = this.url,
  }: {
    readonly token: string;
    readonly namespace?: string;
    readonly server?: string;
  }): string {
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster: { server, "certificate-authority": this.caFile } }],
      users: [{ name: "test", user: { token } }],
      contexts: [{ name: "test", context: { cluster: "test", user: "test", namespace } }],
      "current-context": "test",
    });
  }

  /** Writes a file into the cluster's folder; returns its path. */
  async write(name: string, content: string): Promise<string> {
    const path = join(this.#places.folder, name);
    await writeFile(path, content);
    return path;
  }

  /** Creates a namespace for a test, with the labels of Pod security if any. */
  async namespace(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  }

  /** A token of a service account, which is created if missing; valid for an hour, like a Pod's. */
  async serviceAccountToken(namespace: string, name: string): Promise<string> {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name } };
    await this.admin.apply(account);
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const answer = await this.admin.send("POST", path, request);
    return String(new ApiAnswer(answer.ok()).at("status", "token"));
  }

  /** A client with another token. */
  as(token: string): KubeApi {
    return this.admin.as(token);
  }

  /** Starts the API server, also after it was stopped; resolves when it is ready. */
  async startApi(): Promise<void> {
    const program = await tool("kube-apiserver");
    const args = Object.entries(this.#places.flags).map(([name, value]) => `--${name}=${value}`);
    this.#api = new Program(program, args, this.#places.folder);
    await this.#api.until(() => this.admin.answers("/readyz"), "the API server to be ready");
  }

  /** SIGKILL, like a crash: all connections are cut. */
  async stopApi(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#api?.stop(signal);
  }

  async #startEtcd(): Promise<void> {
    const { folder, etcdPort } = this.#places;
    const url = `http://127.0.0.1:${etcdPort}`;
    const peer = `http://127.0.0.1:${await freePort()}`;
    const data = join(folder, "etcd");
    await mkdir(data, { mode: 0o700 });
    this.#etcd = new Program(
      "etcd",
      [
        ...["--name", "test", "--data-dir", data, "--logger", "zap", "--log-level", "error"],
        ...["--listen-client-urls", url, "--advertise-client-urls", url],
        ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
        ...["--initial-cluster", `test=${peer}`],
      ],
      folder,
    );
    const health = async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
    await this.#etcd.until(health, "etcd to answer");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.admin.close();
    // In this order, because an API server without etcd stops slowly.
    await this.#api?.stop("SIGKILL");
    await this.#etcd?.stop("SIGKILL");
    rmSync(this.#places.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function writeServiceAccountKeys(folder: string): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeFile(join(folder, "accounts.pub"), publicKey);
  await writeFile(join(folder, "accounts.key"), privateKey, { mode: 0o600 });
}
