/** Commands and versions in the pages that a newcomer reads first. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { packageManifest } from "../../scripts/package/manifest.ts";

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), "utf8");
const { version, scripts }: { version: string; scripts: Record<string, string> } = JSON.parse(
  await read("package.json"),
);

test("docs/development.md lists every test command", async () => {
  const page = await read("docs/development.md");
  const names = Object.keys(scripts).filter((name) => name.startsWith("test:"));
  for (const name of names) assert.ok(page.includes(`| \`npm run ${name}\` |`), name);
});

test("README installs the package by its file name, and names the oldest Node.js that runs it", async () => {
  const readme = await read("README.md");
  const { name, engines } = await packageManifest(PROJECT);
  assert.match(
    readme,
    new RegExp(`^npm install --global \\./${name}-${version.replaceAll(".", "\\.")}\\.tgz$`, "m"),
  );
  const [, oldest] = /^>=(\d+\.\d+)\.0$/.exec(engines.node) ?? [];
  assert.ok(readme.includes(`From the package, with Node.js ${oldest} or newer`), oldest);
});

test("no page or message recommends npx svc, which is another program outside a checkout", async () => {
  for await (const path of glob(["docs/**/*.md", "deploy/**/*.{md,txt,yaml,tpl}", "{src,scripts}/**/*.ts"], {
    cwd: PROJECT,
  }))
    assert.ok(!(await read(path)).includes("npx svc"), path);
  const [warning, ...others] = (await read("README.md"))
    .split("\n")
    .filter((line) => line.includes("npx svc"));
  assert.match(warning ?? "", /outside a checkout/);
  assert.deepEqual(others, []);
});

test("the changelog describes the version that svc --version prints", async () => {
  const changelog = await read("CHANGELOG.md");
  const said = version.replaceAll(".", "\\.");
  assert.match(
    changelog,
    new RegExp(`^## \\[${said}\\] - \\d|^## \\[Unreleased\\]\n\nThis will be ${said}\\b`, "m"),
  );
});
