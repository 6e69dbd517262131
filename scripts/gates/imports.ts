/** Enforces the architecture: which layer may import which, and which code may read the environment. */
import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { Node } from "oxc-parser";
import type { Gate } from "./gate.ts";
import { nameOf, type Source, sources } from "./source.ts";
import { specifierIn } from "./specifiers.ts";

/**
 * Each layer of src and the other layers that it may import. A new folder of src must be added here.
 */
const LAYERS: Record<string, readonly string[]> = {
  main: ["processes", "cli", "platform"],
  processes: [
    ...["audit", "auth", "client", "controller", "engine", "gen", "grpc", "jobs", "kubernetes", "media"],
    ...["messages", "platform", "rest", "scoring", "store", "tracing", "worker"],
  ],
  cli: ["client", "engine", "gen", "jobs", "messages", "platform", "rates", "report", "titles"],
  rest: ["audit", "auth", "controller", "gen", "jobs", "messages", "platform", "scoring"],
  grpc: ["audit", "auth", "controller", "gen", "messages", "platform", "scoring"],
  scoring: ["engine", "gen", "messages", "platform"],
  controller: [
    "audit",
    "auth",
    "engine",
    "gen",
    "jobs",
    "media",
    "messages",
    "platform",
    "rates",
    "store",
    "trends",
  ],
  worker: ["client", "engine", "gen", "jobs", "media", "messages", "platform", "titles"],
  kubernetes: ["auth", "jobs", "media", "platform"],
  auth: ["gen", "jobs", "platform"],
  media: ["jobs", "platform"],
  store: ["audit", "gen", "jobs", "platform"],
  audit: ["platform"],
  client: ["gen", "messages", "platform"],
  messages: ["engine", "gen", "jobs", "platform", "rates", "trends"],
  tracing: ["platform"],
  titles: ["jobs", "platform"],
  engine: ["jobs", "platform", "statistics"],
  platform: [],
  gen: [],
  report: ["gen", "jobs", "rates"],
  rates: ["jobs"],
  trends: ["jobs", "statistics"],
  statistics: [],
  jobs: [],
};

/** Layers of pure rules: they import neither packages nor modules of Node.js. */
const PURE = new Set(["jobs", "rates", "report", "statistics", "trends"]);

/** Layers that the console may import. It runs in browsers, so they contain only types and pure rules. */
const CONSOLE = ["gen", "jobs", "rates", "report"];

/** Code that may read the environment; scripts, tests and benchmarks are separate programs. */
const ENVIRONMENT = [
  /^src\/(processes|cli)\//,
  /^src\/platform\/config(\/|\.ts$)/,
  /^(scripts|bench|test)\//,
];

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
        ? "imports a path that is not a plain string, so the target is unknown"
        : faultOf(root, source.path, specifier);
    return fault === undefined ? [] : [`${source.path}:${source.lineAt(node.start)} ${fault}`];
  });
}

/** Returns the specifier that a syntax node imports, null if it is computed, undefined if the node imports nothing. */
function specifierOf(node: Node): string | null | undefined {
  const specifier = specifierIn(node);
  if (specifier === undefined) return undefined;
  if (specifier.type === "Literal") return nameOf(specifier) ?? null;
  // `package/${file}` imports the package, no matter which file.
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
    return `imports ${specifier}, which is outside the checkout or an alias`;
  }
  if (!existsSync(join(root, target)) || !statSync(join(root, target)).isFile()) {
    return `imports ${specifier}, which is not a file (${target})`;
  }
  return ruleBrokenBy(importer, from, target);
}

function ruleBrokenBy(importer: string, from: string, target: string): string | undefined {
  const to = layerOf(target);
  if (/^test\/(acceptance|journeys)\//.test(importer) && target.startsWith("src/")) {
    return `imports ${target}, but these tests use the program only from outside`;
  }
  if (importer.startsWith("web/src/") && target.startsWith("src/")) {
    return CONSOLE.includes(to) ? undefined : `imports ${target}, but the console may not import ${to}`;
  }
  if (!importer.startsWith("src/")) return undefined;
  if (!target.startsWith("src/")) {
    const isData = /\.(json|ya?ml)$/.test(target);
    return isData ? undefined : `imports ${target}, but src may import no code from outside src`;
  }
  const allowed = LAYERS[from];
  if (allowed === undefined) return `is in the layer "${from}", which scripts/gates/imports.ts does not list`;
  return from === to || allowed.includes(to)
    ? undefined
    : `imports ${target}, but ${from} may not import ${to}`;
}

/** The layer of a path: "engine" for src/engine/media/probe.ts, "main" for src/main.ts, otherwise the top-level folder. */
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

/** Matches process.env, process["env"], const { env } = process, and import { env } from "node:process". */
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
