/** How a kubeconfig says to reach an API server: its current context, by token or client certificate. */
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { isObject, type JsonObject } from "../platform/json.ts";
import { readSmallFile } from "../platform/small-file.ts";
import { messageOf } from "../platform/thrown.ts";
import { type Access, AccessError, type Identity } from "./access.ts";

/** Ways to be somebody that need another program, or that nobody should use. */
const NOT_TAKEN = ["exec", "auth-provider", "username", "password", "as", "as-groups"];

/** Throws AccessError that names the file, and what it lacks. */
export async function readKubeconfig(path: string): Promise<Access> {
  const file = new Kubeconfig(path, await contentOf(path));
  const access = file.access();
  // What it names is read once now, so that a mistake is found at the start.
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
        "its cluster has insecure-skip-tls-verify: whoever is between could say who the tenants are",
      );
    }
    if (cluster["proxy-url"] !== undefined)
      throw this.#wrong("its cluster has a proxy-url, which is not known");
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
    throw this.#wrong(`its server ${JSON.stringify(server)} is no https URL`);
  }

  #checkUser(user: JsonObject): void {
    const named = NOT_TAKEN.filter((name) => user[name] !== undefined);
    if (named.length > 0)
      throw this.#wrong(
        `its user has ${named.join(" and ")}; there are token, tokenFile and client certificates`,
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

  /** What stands in base64 behind a name with "-data", or else in the file that it names. */
  async #given(where: JsonObject, name: string): Promise<string | undefined> {
    const data = optionalText(where[`${name}-data`]);
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
    const path = optionalText(where[name]);
    return path === undefined ? undefined : this.#read(path);
  }

  /** Relative paths start where the kubeconfig is. */
  async #read(path: string): Promise<string> {
    return (await bytesOf(resolve(dirname(this.#path), path), this.#path)).toString("utf8");
  }

  #named(list: string, name: string, member: string): JsonObject {
    const entries = this.#content[list];
    const entry = (Array.isArray(entries) ? entries : [])
      .filter((one) => isObject(one))
      .find((one) => one["name"] === name)?.[member];
    if (isObject(entry)) return entry;
    throw this.#wrong(`its ${list} have none that is called ${JSON.stringify(name)}`);
  }

  #textIn(where: JsonObject, name: string): string {
    const text = optionalText(where[name]);
    if (text === undefined) throw this.#wrong(`${name} is missing, or no text`);
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
  throw new AccessError(`The kubeconfig ${path} cannot be used: it is no object in YAML or JSON.`);
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // The parser's message would quote the file, which holds secrets.
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
