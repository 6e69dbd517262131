/** Access by a kubeconfig: its current context, with a token or a client certificate. */
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { messageOf } from "../platform/errors.ts";
import { readSmallFile } from "../platform/files/small-file.ts";
import { isObject, type JsonObject } from "../platform/json.ts";
import { type Access, AccessError, type Identity } from "./access.ts";

/** Unsupported ways to authenticate: they need another program, or are insecure. */
const NOT_TAKEN = ["exec", "auth-provider", "username", "password", "as", "as-groups"];

/** Throws AccessError, which names the file and what is wrong with it. */
export async function readKubeconfig(path: string): Promise<Access> {
  const file = new Kubeconfig(path, await contentOf(path));
  const access = file.access();
  // Reads the files that the kubeconfig names, so that a mistake is reported at startup.
  await access.identity();
  return access;
}

class Kubeconfig {
  readonly #path: string;
  readonly #content: JsonObject;

  constructor(path: string, content: JsonObject) {
    this.#path = path;
    this.#content = content;
  }

  access(): Access {
    const context = this.#named("contexts", this.#textIn(this.#content, "current-context"), "context");
    const cluster = this.#named("clusters", this.#textIn(context, "cluster"), "cluster");
    const user = this.#named("users", this.#textIn(context, "user"), "user");
    this.#checkUser(user);
    if (cluster["insecure-skip-tls-verify"] === true) {
      throw this.#wrong(
        "its cluster has insecure-skip-tls-verify, which would let anyone on the network path define the tenants",
      );
    }
    if (cluster["proxy-url"] !== undefined)
      throw this.#wrong("its cluster has a proxy-url, which is not supported");
    return {
      server: this.#serverOf(cluster),
      serverName: optionalText(cluster["tls-server-name"]),
      namespace: optionalText(context["namespace"]),
      identity: () => this.#identity(cluster, user),
    };
  }

  #serverOf(cluster: JsonObject): string {
    const server = this.#textIn(cluster, "server");
    const url = URL.parse(server);
    if (url?.protocol === "https:" && url.search === "" && url.hash === "") return server.replace(/\/+$/, "");
    throw this.#wrong(`its server ${JSON.stringify(server)} is not an https URL`);
  }

  #checkUser(user: JsonObject): void {
    const named = NOT_TAKEN.filter((name) => user[name] !== undefined);
    if (named.length > 0)
      throw this.#wrong(
        `its user has ${named.join(" and ")}; only token, tokenFile and client certificates are supported`,
      );
  }

  async #identity(cluster: JsonObject, user: JsonObject): Promise<Identity> {
    const tokenFile = optionalText(user["tokenFile"]);
    const token = tokenFile === undefined ? optionalText(user["token"]) : await this.#read(tokenFile);
    return {
      ca: await this.#given(cluster, "certificate-authority"),
      token: token?.trim(),
      cert: await this.#given(user, "client-certificate"),
      key: await this.#given(user, "client-key"),
    };
  }

  /** Returns the base64 content of the member NAME-data, or else that of the file that NAME names. */
  async #given(where: JsonObject, name: string): Promise<string | undefined> {
    const data = optionalText(where[`${name}-data`]);
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
    const path = optionalText(where[name]);
    return path === undefined ? undefined : this.#read(path);
  }

  /** Relative paths are relative to the kubeconfig. */
  async #read(path: string): Promise<string> {
    return (await bytesOf(resolve(dirname(this.#path), path), this.#path)).toString("utf8");
  }

  #named(list: string, name: string, member: string): JsonObject {
    const entries = this.#content[list];
    const entry = (Array.isArray(entries) ? entries : [])
      .filter((one) => isObject(one))
      .find((one) => one["name"] === name)?.[member];
    if (isObject(entry)) return entry;
    throw this.#wrong(`its ${list} have no entry named ${JSON.stringify(name)}`);
  }

  #textIn(where: JsonObject, name: string): string {
    const text = optionalText(where[name]);
    if (text === undefined) throw this.#wrong(`${name} is missing or not a string`);
    return text;
  }

  #wrong(what: string): AccessError {
    return new AccessError(`The kubeconfig ${this.#path} cannot be used: ${what}.`);
  }
}

async function contentOf(path: string): Promise<JsonObject> {
  const bytes = await bytesOf(path, path);
  const content = parsed(bytes.toString("utf8"));
  if (isObject(content)) return content;
  throw new AccessError(`The kubeconfig ${path} cannot be used: it is not a YAML or JSON object.`);
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // The parser's message would quote the file, which contains secrets.
    return undefined;
  }
}

async function bytesOf(path: string, kubeconfig: string): Promise<Buffer> {
  try {
    return await readSmallFile(path);
  } catch (cause) {
    const why = messageOf(cause);
    throw new AccessError(`The kubeconfig ${kubeconfig} cannot be used: ${path}: ${why}.`, { cause });
  }
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
