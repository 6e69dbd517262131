/** Who may import whom, and who may read the environment: the architecture, held. */
import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { Node } from "oxc-parser";
import type { Gate } from "./gate.ts";
import { nameOf, type Source, sources } from "./source.ts";
import { specifierIn } from "./specifiers.ts";

/**
 * Each layer of src with the layers that it may import besides itself. A new
 * folder of src is not allowed until it has a line here.
 */
const LAYERS: Record<string, readonly string[]> = {
  main: ["cmd", "cli", "platform"],
  cmd: [
    ...["audit", "auth", "client", "controller", "engine", "gen", "jobs", "messages", "node", "platform"],
    ...["kubernetes", "rest", "rpc", "scoring", "store", "tracing"],
  ],
  cli: ["client", "engine", "gen", "jobs", "messages", "platform"],
  rest: ["audit", "auth", "controller", "gen", "jobs", "messages", "platform", "scoring"],
  rpc: ["audit", "auth", "controller", "gen", "messages", "platform", "scoring"],
  scoring: ["engine", "gen", "messages", "platform"],
  controller: ["audit", "auth", "engine", "gen", "jobs", "messages", "platform", "store"],
  node: ["client", "engine", "gen", "jobs", "messages", "platform"],
  kubernetes: ["auth", "platform"],
  auth: ["gen", "jobs", "platform"],
  store: ["audit", "gen", "jobs", "platform"],
  audit: ["platform"],
  client: ["gen", "messages", "platform"],
  messages: ["engine", "gen", "platform"],
  tracing: ["platform"],
  engine: ["platform"],
  platform: [],
  gen: [],
  jobs: [],
};

/** A layer of pure rules: it imports no package and nothing of Node.js either. */
const PURE = new Set(["jobs"]);

/** Layers that the console may import, which runs in browsers: they hold types and pure rules. */
const CONSOLE = ["gen", "jobs"];

/** Where the environment may be read; scripts, tests and benchmarks are programs of their own. */
const ENVIRONMENT = [/^src\/(cmd|cli)\//, /^src\/platform\/config(\/|\.ts$)/, /^(scripts|bench|test)\//];

export const imports: Gate = {
  name: "imports",
  rule: "layers import only the layers below them, and read no environment",
  complaints: async (root) =>
    sources(root).flatMap((source) => [...importFaults(root, source), ...environmentFaults(source)]),
};

function importFaults(root: string, source: Source): string[] {
  return source.nodes.flatMap((node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return [];
    const fault =
      specifier === null
        ? "imports a path that is not a plain string, so nobody can say what it imports"
        : faultOf(root, source.path, specifier);
    return fault === undefined ? [] : [`${source.path}:${source.lineAt(node.start)} ${fault}`];
  });
}

/** What a node imports: a specifier, null for one that is computed, undefined when it imports nothing. */
function specifierOf(node: Node): string | null | undefined {
  const specifier = specifierIn(node);
  if (specifier === undefined) return undefined;
  if (specifier.type === "Literal") return nameOf(specifier) ?? null;
  // A file of a package, whichever one: `package/${file}` imports the package.
  const start = specifier.type === "TemplateLiteral" ? specifier.quasis[0]?.value.cooked : undefined;
  return /^(@[\w-]+\/)?[\w-]+\//.exec(start ?? "")?.[0] ?? null;
}

function faultOf(root: string, importer: string, specifier: string): string | undefined {
  const from = layerOf(importer);
  if (!specifier.startsWith(".") && !specifier.startsWith("/") && !specifier.startsWith("#")) {
    return PURE.has(from) ? `imports ${specifier}, but ${from} is pure and imports nothing` : undefined;
  }
  const target = posix.normalize(posix.join(posix.dirname(importer), specifier));
  if (specifier.startsWith("/") || specifier.startsWith("#") || target.startsWith("../")) {
    return `imports ${specifier}, which is outside the checkout or hidden behind an alias`;
  }
  if (!existsSync(join(root, target)) || !statSync(join(root, target)).isFile()) {
    return `imports ${specifier}, which is no file (${target})`;
  }
  return ruleBrokenBy(importer, from, target);
}

function ruleBrokenBy(importer: string, from: string, target: string): string | undefined {
  const to = layerOf(target);
  if (importer.startsWith("test/acceptance/") && target.startsWith("src/")) {
    return `imports ${target}, but acceptance tests know the program only from outside`;
  }
  if (importer.startsWith("web/src/") && target.startsWith("src/")) {
    return CONSOLE.includes(to) ? undefined : `imports ${target}, but the console may not import ${to}`;
  }
  if (!importer.startsWith("src/")) return undefined;
  if (!target.startsWith("src/")) {
    const isData = /\.(json|ya?ml)$/.test(target);
    return isData ? undefined : `imports ${target}, but src imports no code from outside src`;
  }
  const allowed = LAYERS[from];
  if (allowed === undefined) return `is in the layer "${from}", which scripts/gates/imports.ts does not know`;
  return from === to || allowed.includes(to)
    ? undefined
    : `imports ${target}, but ${from} may not import ${to}`;
}

/** src/engine/probe.ts is in "engine", src/main.ts is "main", anything else is its top folder. */
function layerOf(path: string): string {
  const [top = "", layer = ""] = path.split("/");
  return top === "src" ? layer.replace(/\.[cm]?[jt]s$/, "") : top;
}

function environmentFaults(source: Source): string[] {
  if (ENVIRONMENT.some((allowed) => allowed.test(source.path))) return [];
  return source.nodes
    .filter(readsEnvironment)
    .map(
      (node) =>
        `${source.path}:${source.lineAt(node.start)} reads process.env; take the value as an argument`,
    );
}

/** process.env, process["env"], const { env } = process, import { env } from "node:process". */
function readsEnvironment(node: Node): boolean {
  switch (node.type) {
    case "MemberExpression":
      return nameOf(node.property) === "env" && isProcess(node.object);
    case "VariableDeclarator":
      return (
        node.id.type === "ObjectPattern" && node.init !== null && isProcess(node.init) && takesEnv(node.id)
      );
    case "ImportDeclaration":
      return /^(node:)?process$/.test(node.source.value);
    default:
      return false;
  }
}

function isProcess(node: Node): boolean {
  if (node.type === "MemberExpression") return nameOf(node.property) === "process";
  return node.type === "Identifier" && node.name === "process";
}

function takesEnv(pattern: Extract<Node, { type: "ObjectPattern" }>): boolean {
  return pattern.properties.some((one) => one.type === "RestElement" || nameOf(one.key) === "env");
}
