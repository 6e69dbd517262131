/** Finds the import specifiers of a module. */
import type { Node } from "oxc-parser";
import { nameOf } from "./source.ts";

/**
 * Returns the specifier of an importing node, a string literal unless it is computed; undefined if the node imports
 * nothing.
 */
export function specifierIn(node: Node): Node | undefined {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return node.source;
    case "ExportNamedDeclaration":
      return node.source ?? undefined;
    case "CallExpression":
      return isRequire(node.callee) ? (node.arguments[0] ?? node.callee) : undefined;
    case "NewExpression":
      return isModuleUrl(node) ? node.arguments[0] : undefined;
    default:
      return undefined;
  }
}

/** Matches require(…), require.resolve(…) and import.meta.resolve(…). */
function isRequire(callee: Node): boolean {
  if (callee.type === "Identifier") return callee.name === "require";
  if (callee.type !== "MemberExpression" || nameOf(callee.property) !== "resolve") return false;
  return callee.object.type === "MetaProperty" || isRequire(callee.object);
}

/** Matches new URL("…", import.meta.url) for a module, such as a worker. */
function isModuleUrl(node: Extract<Node, { type: "NewExpression" }>): boolean {
  if (node.callee.type !== "Identifier" || node.callee.name !== "URL") return false;
  const [path, base] = node.arguments;
  const fromHere = base?.type === "MemberExpression" && base.object.type === "MetaProperty";
  return fromHere && path !== undefined && /\.[cm]?[jt]s$/.test(nameOf(path) ?? "");
}
