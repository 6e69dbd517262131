/**
 * The content key that decides whether the Kubernetes tests run again: it covers the tests, the processes that they
 * start, and the image.
 */
import assert from "node:assert/strict";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { after, test } from "node:test";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { contentKey, lookedAt } from "../../scripts/k8s/passed.ts";

const known = new Set(lookedAt(PROJECT));
const text = (path: string): string => readFileSync(join(PROJECT, path), "utf8");
const folder = mkdtempSync(join(tmpdir(), "svc-key-"));
after(() => rmSync(folder, { recursive: true }));

/** Returns the files and everything that they import. */
function withImports(paths: readonly string[]): readonly string[] {
  const found = new Set(paths);
  for (const path of found) {
    for (const [, to = ""] of text(path).matchAll(/\b(?:from|import) ?\(?"(\.[^"]+)"/g))
      found.add(posix.join(dirname(path), to));
  }
  return [...found];
}

const tests = globSync("test/{image,k8s}/**/*.ts", { cwd: PROJECT });

test("covers the tests, their runner, the program, and everything that these import", () => {
  const paths = withImports([...tests, "scripts/test-k8s.ts", "scripts/bootstrap.mjs", "src/main.ts"]);
  assert.ok(paths.length > 300);
  assert.deepEqual(
    paths.filter((path) => !known.has(path)),
    [],
  );
});

test("covers the pages that the tests read or name", () => {
  const pages = tests.flatMap((path) => [...text(path).matchAll(/\bdocs(?:\/|", ")([a-z-]+\.md)"/g)]);
  assert.ok(pages.length > 0);
  for (const [, page = ""] of pages) assert.ok(known.has(`docs/${page}`), page);
});

test("covers all files of the image", () => {
  const lines = text("Dockerfile").matchAll(/^COPY (?!--)(.*) \S+$/gm);
  // Pages that no test reads in the image: a change of these needs no test there.
  const carried = ["README.md", "CHANGELOG.md"];
  const copied = [...lines].flatMap(([, from = ""]) => from.split(" "));
  assert.ok(copied.includes("src"));
  for (const one of [...copied.filter((path) => !carried.includes(path)), "Dockerfile", ".dockerignore"])
    assert.ok(known.has(one) || [...known].some((path) => path.startsWith(`${one}/`)), one);
});

test("changes when one of these files changes, appears or disappears, and not when others do", () => {
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const paths = [
    ...[
      "src/jobs/limits.ts",
      "src/processes/controller/part.ts",
      "web/src/app.tsx",
      "migrations/0001_jobs.sql",
    ],
    ...["scripts/alone.mjs", "scripts/test-k8s.ts", "package.json", "tsconfig.json", "Dockerfile"],
  ];
  for (const path of [...paths, ".dockerignore"]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(PROJECT, path), join(folder, path));
  }
  const seen = new Set([contentKey(folder)]);
  for (const path of [...paths, "deploy/chart/.helmignore"]) {
    write(path, "another");
    assert.ok(!seen.has(contentKey(folder)), path);
    seen.add(contentKey(folder));
  }
  rmSync(join(folder, "src/jobs/limits.ts"));
  const key = contentKey(folder);
  assert.ok(!seen.has(key));
  for (const path of [
    "README.md",
    "docs/adr/0001.md",
    "bench/score.ts",
    "test/cli/a.test.ts",
    "web/dist/a.js",
  ])
    write(path, "new");
  for (const path of ["web/.dist-1/a.js", "web/node_modules/a/a.js"]) write(path, "new");
  assert.equal(contentKey(folder), key);
});
