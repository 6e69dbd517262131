/** What the pages that a newcomer reads first say of the commands and of the version. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), "utf8");
const { version, scripts }: { version: string; scripts: Record<string, string> } = JSON.parse(
  await read("package.json"),
);

test("README names every command that tests, and says of npm test that it leaves some out", async () => {
  const readme = await read("README.md");
  const names = Object.keys(scripts).filter((name) => name.startsWith("test:"));
  for (const name of names) assert.ok(readme.includes(`| \`npm run ${name}\` |`), name);
  assert.match(readme, /^\| `npm test` \| every check and most tests;/m);
  assert.doesNotMatch(readme, /every (check|gate) and (the|every|all) tests?/);
});

test("the changelog says of the version that svc --version prints what it is", async () => {
  const changelog = await read("CHANGELOG.md");
  const said = version.replaceAll(".", "\\.");
  assert.match(
    changelog,
    new RegExp(`^## \\[${said}\\] - \\d|^## \\[Unreleased\\]\n\nThis will be ${said}\\b`, "m"),
  );
});
