/** Compilation of the sources to JavaScript. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { compile } from "../../scripts/package/compile.ts";

test("rewrites imports of sources to imports of compiled files, in every form", () => {
  const source = [
    'import type { A } from "./a.ts";',
    'import { type B, b } from "../b/b.ts";',
    'export { c } from "./c.ts";',
    'export * from "./d.ts";',
    'const e = await import("./e.ts");',
    'new Worker(new URL("./f.ts", import.meta.url));',
    'import pkg from "pkg/g.ts";',
    'const text: string = "./h.ts";',
  ].join("\n");
  assert.deepEqual(compile("src/x.ts", source).split("\n"), [
    " ".repeat(32),
    'import {         b } from "../b/b.js";',
    'export { c } from "./c.js";',
    'export * from "./d.js";',
    'const e = await import("./e.js");',
    'new Worker(new URL("./f.js", import.meta.url));',
    'import pkg from "pkg/g.ts";',
    'const text         = "./h.ts";',
  ]);
});

test("keeps the length of every source line, so that positions in stack traces match the sources", () => {
  const paths = globSync("src/**/*.ts", { cwd: PROJECT });
  assert.ok(paths.length > 300);
  const lengths = (text: string) => text.split("\n").map((line) => line.length);
  for (const path of paths) {
    const source = readFileSync(join(PROJECT, path), "utf8");
    assert.deepEqual(lengths(compile(path, source)), lengths(source), path);
  }
});

test("refuses type syntax that needs generated code", () => {
  assert.throws(() => compile("src/x.ts", "enum A { B }"), /enum/i);
});
