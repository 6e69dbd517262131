import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { svc } from "../server/svc-process.ts";
import { ROOT } from "./rules.ts";

const RUNBOOKS = globSync("docs/runbooks/*.md", { cwd: ROOT }).map((file) => ({
  file,
  text: readFileSync(join(ROOT, file), "utf8"),
}));

describe("each runbook", () => {
  test("links only to existing files", () => {
    for (const { file, text } of RUNBOOKS) {
      for (const [, link = ""] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
        assert.doesNotThrow(() => readFileSync(join(ROOT, "docs/runbooks", link)), `${file}: ${link}`);
      }
    }
  });

  test("names existing commands of svc with existing flags", async () => {
    const commands = new Map<string, Set<string>>();
    for (const { text } of RUNBOOKS) {
      for (const [, command = "", rest = ""] of text.matchAll(
        /`svc ((?:jobs|nodes|tenants) [a-z]+)([^`]*)`/g,
      )) {
        const flags = commands.get(command) ?? new Set();
        commands.set(command, flags);
        for (const flag of rest.match(/--[a-z-]+/g) ?? []) flags.add(flag);
      }
    }
    assert.ok(commands.size > 3);
    for (const [command, flags] of commands) {
      const { code, stdout } = await svc([...command.split(" "), "--help"]);
      assert.equal(code, 0, command);
      assert.match(stdout, new RegExp(`Usage: svc ${command}`), command);
      for (const flag of flags) assert.ok(stdout.includes(flag), `svc ${command} has no ${flag}`);
    }
  });
});
