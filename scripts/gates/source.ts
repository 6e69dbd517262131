/** Parses the project's own source files into syntax trees, for the gates that check code. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Comment, type Node, parseSync } from "oxc-parser";

export interface Source {
  /** Path relative to the checkout, with forward slashes. */
  readonly path: string;
  readonly nodes: readonly Node[];
  readonly comments: readonly Comment[];
  /** Returns the line of an offset, from 1. */
  readonly lineAt: (offset: number) => number;
}

/** Folders with our code, without build output. Generated code is checked only by the gate `generated`. */
const CODE = ["src", "web", "test", "bench", "scripts"];

/** Returns the paths of all source files, including generated ones, sorted. */
export function sourcePaths(root: string): string[] {
  const patterns = CODE.map((folder) => `${folder}/**/*.{ts,tsx,mts,cts,js,mjs,cjs}`);
  const found = globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", "web/dist/**"] });
  return found.map((path) => path.replaceAll("\\", "/")).sort();
}

export function sources(root: string): Source[] {
  const paths = sourcePaths(root);
  return paths.filter((path) => !path.startsWith("src/gen/")).map((path) => parse(root, path));
}

function parse(root: string, path: string): Source {
  return parseText(path, readFileSync(join(root, path), "utf8"));
}

/** Parses a text in the language of the path's extension. Throws if it is not valid. */
export function parseText(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const nodes: Node[] = [];
  collect(program, nodes);
  return { path, nodes, comments, lineAt: (offset) => text.slice(0, offset).split("\n").length };
}

/** Collects every node of a tree, parents first. */
function collect(value: unknown, into: Node[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, into);
  } else if (isNode(value)) {
    into.push(value);
    for (const child of Object.values(value)) collect(child, into);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/**
 * Returns the name of a property access or key: "b" for `a.b`, `a["b"]` and `{ b: … }`; undefined if it is computed.
 */
export function nameOf(key: Node): string | undefined {
  if (key.type === "Identifier") return key.name;
  if (key.type === "Literal" && typeof key.value === "string") return key.value;
  return undefined;
}
