/** Runs helm, as an operator does, on the chart of this checkout. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT } from "../../../scripts/gates/gate.ts";
import { tool } from "../../../scripts/k8s/tools.ts";
import { WAIT_LIMIT_MS } from "../../waiting.ts";
import { ApiAnswer, type Manifest, manifestsIn } from "../kube-api.ts";

export const CHART = join(PROJECT, "deploy", "chart");
export const RELEASE = "rel";
export const NAMESPACE = "media";

/** Good values, by name. */
const GOOD = join(import.meta.dirname, "good");
export const goodNames = readdirSync(GOOD).map((file) => file.replace(".yaml", ""));
export const good = (name: string): string => join(GOOD, `${name}.yaml`);

export interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm without any of this user's settings; `kubeconfig` selects the cluster, if any. */
export async function helm(args: readonly string[], kubeconfig = "/dev/null", stdin = ""): Promise<Told> {
  const program = await tool("helm");
  // Its cluster cache is deleted with the cluster's folder.
  const home = join(dirname(kubeconfig), "helm");
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
  };
  const { promise, resolve } = Promise.withResolvers<Told>();
  const options = { env, timeout: WAIT_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
  const child = execFile(program, [...args], options, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
  });
  child.stdin?.end(stdin);
  return promise;
}

/** Output of helm for these values on top of the minimum required ones. */
export function templateOf(values: string, base = good("required")): Promise<Told> {
  return helm(
    ["template", RELEASE, CHART, "--namespace", NAMESPACE, "-f", base, "-f", "-"],
    undefined,
    values,
  );
}

/** Objects that helm renders from values; throws its message if it refuses them. */
export async function rendered(values: string, base?: string): Promise<Rendered> {
  const { code, stdout, stderr } = await templateOf(values, base);
  if (code !== 0) throw new Error(stderr);
  return new Rendered(manifestsIn(stdout));
}

const renderings = new Map<string, Promise<Rendered>>();

/** Objects of one of the good values files. */
export function renderedGood(name: string): Promise<Rendered> {
  const before = renderings.get(name);
  if (before !== undefined) return before;
  const made = rendered("", good(name));
  renderings.set(name, made);
  return made;
}

export class Rendered {
  readonly objects: readonly Manifest[];

  constructor(objects: readonly Manifest[]) {
    this.objects = objects;
  }

  ofKind(kind: string): ApiAnswer[] {
    return this.objects.filter((one) => one.kind === kind).map((one) => new ApiAnswer(one));
  }

  /** The only object of this kind and name. */
  one(kind: string, name: string): ApiAnswer {
    const found = this.ofKind(kind).find((one) => one.at("metadata", "name") === name);
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  }

  /** Every object that creates pods, with its pod. */
  pods(): { readonly of: string; readonly pod: Manifest }[] {
    return this.objects.flatMap((object) => {
      const of = `${object.kind} ${object.metadata.name}`;
      if (object.kind === "Pod") return [{ of, pod: object }];
      const template = new ApiAnswer(object).at("spec", "template");
      if (!isTemplate(template)) return [];
      const metadata = { ...template.metadata, name: object.metadata.name };
      return [{ of, pod: { apiVersion: "v1", kind: "Pod", metadata, spec: template.spec } }];
    });
  }
}

function isTemplate(value: unknown): value is { metadata: object; spec: unknown } {
  return typeof value === "object" && value !== null && "metadata" in value && "spec" in value;
}

/** A list of objects. */
export function listOf(value: unknown): ApiAnswer[] {
  return (Array.isArray(value) ? value : []).map((one) => new ApiAnswer(one));
}

/** The environment of a pod's first container, by name; values from elsewhere are left out. */
export function environmentOf(object: ApiAnswer): Record<string, string> {
  const env = listOf(object.at("spec", "template", "spec", "containers", 0, "env"));
  const literal = env.filter((one) => one.at("value") !== undefined);
  return Object.fromEntries(literal.map((one) => [String(one.at("name")), String(one.at("value"))]));
}
