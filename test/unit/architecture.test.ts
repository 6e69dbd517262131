/** docs/architecture.md lists every file of the engine. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

test("the table in docs/architecture.md lists every file of the engine once", async () => {
  const page = await readFile(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const [, section = ""] = /^## The engine\n(.*?)^## /ms.exec(page) ?? [];
  const listed = [...section.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "));
  const files = await readdir(new URL("../../src/engine", import.meta.url));
  assert.deepEqual(listed.sort(), files.map((name) => `\`${name}\``).sort());
});
