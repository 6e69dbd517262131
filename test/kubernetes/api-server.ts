/** An API server as far as controllers need one: SvcTenants, their status, the lease, and Secrets. Roles are not checked. */
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { Authority } from "../server/certificates.ts";

export const NAMESPACE = "svc-system";
const TENANTS = `/apis/svc.dev/v1/namespaces/${NAMESPACE}/svctenants`;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets/`;

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export class ApiServer implements AsyncDisposable {
  /** Specs of SvcTenants by name, as listed. */
  readonly tenants = new Map<string, object>();
  /** Secrets by name: an object, or the status of the response. */
  readonly secrets = new Map<string, object | number>();
  /** The last written conditions by the name of the SvcTenant. */
  readonly conditions = new Map<string, readonly Condition[]>();
  readonly secretRequests: string[] = [];
  readonly #server: Server;
  readonly #directory: string;
  readonly #ca: string;

  private constructor(server: Server, directory: string, ca: string) {
    this.#server = server;
    this.#directory = directory;
    this.#ca = ca;
    server.on("request", (request, response) => void this.#serve(request, response));
  }

  /** Its files are in `directory`. */
  static async start(directory: string): Promise<ApiServer> {
    const authority = await Authority.open(directory, "cluster");
    const { cert, key } = await authority.issue("api-server");
    const server = createServer({ cert: await readFile(cert), key: await readFile(key) });
    // Avoids that a kept-alive connection is closed just as the next request arrives.
    server.keepAliveTimeout = 0;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ApiServer(server, directory, authority.path);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async ca(): Promise<string> {
    return readFile(this.#ca, "utf8");
  }

  /** Path of a kubeconfig for it. */
  async kubeconfig(): Promise<string> {
    const path = join(this.#directory, "kubeconfig");
    const content = {
      clusters: [{ name: "c", cluster: { server: this.url, "certificate-authority": this.#ca } }],
      users: [{ name: "u", user: { token: "token" } }],
      contexts: [{ name: "one", context: { cluster: "c", user: "u", namespace: NAMESPACE } }],
      "current-context": "one",
    };
    await writeFile(path, JSON.stringify(content));
    return path;
  }

  /** Adds or replaces a Secret. `tenant`: the tenant that it names. */
  putSecret(name: string, tenant: string | undefined, data: Readonly<Record<string, string>>): void {
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
    const annotations = tenant === undefined ? undefined : { "svc.dev/tenant-id": tenant };
    this.secrets.set(name, { metadata: { name, annotations }, data: Object.fromEntries(encoded) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const { pathname, searchParams } = new URL(url, this.url);
    if (pathname === TENANTS && searchParams.has("watch")) response.writeHead(200).flushHeaders();
    else if (pathname === TENANTS) answer(response, 200, this.#list());
    else if (pathname.startsWith(`${TENANTS}/`) && method === "PATCH") {
      const { status } = (await json(request)) as { status: { conditions: readonly Condition[] } };
      this.conditions.set(pathname.split("/").at(-2) ?? "", status.conditions);
      answer(response, 200, {});
    } else if (pathname.startsWith(SECRETS)) this.#serveSecret(pathname.slice(SECRETS.length), response);
    else if (method === "GET") answer(response, 404, {});
    else answer(response, 200, await json(request));
  }

  #serveSecret(name: string, response: ServerResponse): void {
    this.secretRequests.push(name);
    const secret = this.secrets.get(name) ?? 404;
    if (typeof secret === "number") answer(response, secret, { message: "no" });
    else answer(response, 200, secret);
  }

  #list(): object {
    const items = [...this.tenants].map(([name, spec]) => ({
      metadata: { name, uid: name, creationTimestamp: "2026-05-17T09:30:00Z", generation: 1 },
      spec,
    }));
    return { metadata: { resourceVersion: "7" }, items };
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
