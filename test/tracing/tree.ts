/** A trace as a tree of names, easy to compare. */
import assert from "node:assert/strict";
import type { ReceivedSpan } from "./collector.ts";

export interface Branch {
  readonly name: string;
  readonly parts: readonly Branch[];
}

/** Returns the spans of one trace as a tree, from the one whose parent is not among them; siblings sorted by name. */
export function treeOf(spans: readonly ReceivedSpan[]): Branch {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentId }) => !ids.has(parentId));
  const [root] = roots;
  assert.ok(root !== undefined && roots.length === 1, `roots: ${roots.map(({ name }) => name).join(", ")}`);
  return branchOf(root, spans);
}

function branchOf({ name, spanId }: ReceivedSpan, spans: readonly ReceivedSpan[]): Branch {
  const parts = spans.filter(({ parentId }) => parentId === spanId).map((span) => branchOf(span, spans));
  return { name, parts: parts.sort((one, other) => one.name.localeCompare(other.name)) };
}

export function branch(name: string, ...parts: readonly Branch[]): Branch {
  return { name, parts };
}

/** The only item of a list. */
export function only<T>(list: readonly T[]): T {
  assert.equal(list.length, 1);
  return list[0] as T;
}
