/** Folders of src and of the console stay small, and the folders of one layer of src import each other in one direction. */
import { posix } from "node:path";
import type { Gate } from "./gate.ts";
import { nameOf, type Source, sourcePaths, sources } from "./source.ts";
import { specifierIn } from "./specifiers.ts";

const MAX_FILES = 20;

/** An import from one room of a layer to another. */
interface Edge {
  readonly from: string;
  readonly to: string;
  /** "src/engine/media/probe.ts:7 imports src/engine/decoding/graph.ts" */
  readonly text: string;
}

export const rooms: Gate = {
  name: "rooms",
  rule: `a folder of src and web/src has at most ${MAX_FILES} files; rooms of a layer import each other without cycles`,
  complaints: async (root) => [...crowded(sourcePaths(root)), ...cycles(sources(root).flatMap(edgesOf))],
};

function crowded(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!/^(web\/)?src\//.test(path) || path.startsWith("src/gen/")) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => `${folder} has ${count} files; divide it into rooms of at most ${MAX_FILES}`);
}

function edgesOf(source: Source): Edge[] {
  const from = roomOf(source.path);
  if (from === undefined) return [];
  return source.nodes.flatMap((node) => {
    const specifier = specifierIn(node);
    const name = specifier?.type === "Literal" ? nameOf(specifier) : undefined;
    if (!name?.startsWith(".")) return [];
    const target = posix.normalize(posix.join(posix.dirname(source.path), name));
    const to = roomOf(target);
    if (to === undefined || to === from || layerOf(to) !== layerOf(from)) return [];
    return [{ from, to, text: `${source.path}:${source.lineAt(node.start)} imports ${target}` }];
  });
}

/** The folder of a file of src; a file that lies in a layer's own folder is a room of its own. */
function roomOf(path: string): string | undefined {
  const parts = path.split("/");
  if (parts[0] !== "src" || parts.length < 3) return undefined;
  return parts.length === 3 ? path : parts.slice(0, 3).join("/");
}

function layerOf(room: string): string {
  return room.split("/").slice(0, 2).join("/");
}

/** One complaint for each import that closes a cycle. */
function cycles(edges: readonly Edge[]): string[] {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const reaches = (from: string, wanted: string): boolean => {
    const seen = new Set<string>();
    const left = [from];
    for (let room = left.pop(); room !== undefined; room = left.pop()) {
      if (room === wanted) return true;
      if (seen.has(room)) continue;
      seen.add(room);
      left.push(...(targets.get(room) ?? []).map(({ to }) => to));
    }
    return false;
  };
  return edges
    .filter(({ from, to }) => reaches(to, from))
    .map(({ from, to, text }) => `${text}, but ${to} imports ${from} too, directly or through other rooms`);
}
