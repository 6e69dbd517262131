/** A client of the Kubernetes API for tests: any object by its own name, and the server's responses. */
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { until } from "../waiting.ts";

const REQUEST_LIMIT_MS = 30_000;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

/** An API object, read by member names. */
export class ApiAnswer {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  /** Undefined if there is no such member. */
  at(...path: readonly (string | number)[]): unknown {
    let value = this.value;
    for (const name of path) {
      if (typeof value !== "object" || value === null) return undefined;
      value = Object.getOwnPropertyDescriptor(value, name)?.value;
    }
    return value;
  }
}

export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly #what: string;

  constructor(what: string, status: number, body: unknown) {
    this.#what = what;
    this.status = status;
    this.body = body;
  }

  /** The error message; empty for a success. */
  get message(): string {
    return this.status < 300 ? "" : String(new ApiAnswer(this.body).at("message") ?? this.body);
  }

  /** The body. Throws if the server returned an error. */
  ok(): unknown {
    if (this.status < 300) return this.body;
    throw new Error(`${this.#what}: ${this.status} ${this.message}`);
  }
}

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The plural of the kinds that tests use. */
const PLURALS: Readonly<Record<string, string>> = {
  Ingress: "ingresses",
  NetworkPolicy: "networkpolicies",
  StorageClass: "storageclasses",
  PriorityClass: "priorityclasses",
};

const CLUSTER_WIDE = new Set([
  ...["Namespace", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "PriorityClass"],
  ...["StorageClass", "PersistentVolume"],
]);

export interface ApplyOptions {
  /** Namespace of objects that name none; default "default". */
  readonly namespace?: string;
  /** Dry run: validates and stores nothing. */
  readonly dryRun?: boolean;
}

export class KubeApi {
  readonly url: string;
  readonly #ca: string;
  readonly #token: string;
  readonly #agent: Agent;

  constructor(url: string, { ca, token }: { readonly ca: string; readonly token: string }) {
    this.url = url;
    this.#ca = ca;
    this.#token = token;
    this.#agent = new Agent({ ca, keepAlive: true });
  }

  /** The same server for another caller. The caller of this method closes it. */
  as(token: string): KubeApi {
    return new KubeApi(this.url, { ca: this.#ca, token });
  }

  close(): void {
    this.#agent.destroy();
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    type = "application/json",
    accept = "application/json",
  ): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const sent = request(`${this.url}${path}`, {
      method,
      agent: this.#agent,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": type, accept },
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      text(response).then(
        (said) => resolve(new Reply(`${method} ${path}`, response.statusCode ?? 0, parsed(said))),
        reject,
      );
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  }

  async get(path: string): Promise<ApiAnswer> {
    return new ApiAnswer((await this.send("GET", path)).ok());
  }

  /** Output of `kubectl get -o wide`. */
  async table(path: string): Promise<Table> {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = new ApiAnswer((await this.send("GET", path, undefined, undefined, accept)).ok());
    const list = (of: unknown) => (Array.isArray(of) ? of : []).map((one) => new ApiAnswer(one));
    return {
      columns: list(table.at("columnDefinitions")).map((one) => String(one.at("name"))),
      rows: list(table.at("rows")).map((one) => list(one.at("cells")).map(({ value }) => value)),
    };
  }

  async answers(path: string): Promise<boolean> {
    return this.send("GET", path).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Applies like `kubectl apply --server-side` with strict validation; returns the response. */
  tryApply(manifest: Manifest, { namespace = "default", dryRun = false }: ApplyOptions = {}): Promise<Reply> {
    const query = `fieldManager=test&force=true&fieldValidation=Strict${dryRun ? "&dryRun=All" : ""}`;
    const path = `${pathOf(manifest, namespace)}?${query}`;
    return this.send("PATCH", path, manifest, "application/apply-patch+yaml");
  }

  /** Throws if it is refused. */
  async apply(manifest: Manifest, options: ApplyOptions = {}): Promise<ApiAnswer> {
    return new ApiAnswer((await this.tryApply(manifest, options)).ok());
  }

  /** Applies every object of some YAML in order. Throws at the first that is refused. */
  async applyYaml(yaml: string, options: ApplyOptions = {}): Promise<void> {
    for (const manifest of manifestsIn(yaml)) await this.apply(manifest, options);
  }

  async delete(manifest: Manifest, namespace = "default"): Promise<void> {
    (await this.send("DELETE", pathOf(manifest, namespace))).ok();
  }

  /** Applies a CustomResourceDefinition from a file; resolves when its resources can be used. */
  async install(crdFile: string): Promise<void> {
    const [crd] = manifestsIn(await readFile(crdFile, "utf8"));
    if (crd === undefined) throw new Error(`${crdFile} is empty`);
    await this.apply(crd);
    await until(async () => {
      const now = await this.get(pathOf(crd, ""));
      const conditions = now.at("status", "conditions");
      const established = (Array.isArray(conditions) ? conditions : [])
        .map((one) => new ApiAnswer(one))
        .some((one) => one.at("type") === "Established" && one.at("status") === "True");
      return established && (await this.answers(listPathOf(now)));
    }, `${crdFile} to be established`);
  }
}

/** The objects of YAML with any number of documents. */
export function manifestsIn(yaml: string): Manifest[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    const value: unknown = document.toJS();
    return isManifest(value) ? [value] : [];
  });
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === "object" && value !== null && "kind" in value && "apiVersion" in value;
}

/** The path of an object. */
function pathOf({ apiVersion, kind, metadata }: Manifest, namespace: string): string {
  const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  const place = CLUSTER_WIDE.has(kind) ? "" : `/namespaces/${metadata.namespace ?? namespace}`;
  return `${base}${place}/${plural}/${metadata.name}`;
}

function listPathOf(crd: ApiAnswer): string {
  const [group, version] = [crd.at("spec", "group"), crd.at("spec", "versions", 0, "name")];
  return `/apis/${String(group)}/${String(version)}/${String(crd.at("spec", "names", "plural"))}`;
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}
