/** A small valid checkout in a temporary folder: a few files with the project's own settings. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PROJECT } from "../../scripts/gates/gate.ts";

/** Copied from the project, so that the gates are tested with its real settings. */
const SETTINGS = [
  ".gitignore",
  ".oxlintrc.json",
  "biome.json",
  "buf.gen.yaml",
  "buf.yaml",
  "knip.json",
  "package-lock.json",
  "tsconfig.json",
  "api",
  "deploy/chart/README.md",
  "deploy/chart/dashboards",
  "deploy/chart/values.yaml",
  "src/gen",
  "web/tsconfig.json",
];

/** No commit signing, and no git processes in the background while the folder is removed. */
const QUIET = ["-c", "commit.gpgsign=false", "-c", "maintenance.auto=false", "-c", "gc.auto=0"];

const FILES: Record<string, string> = {
  "package.json": `${JSON.stringify({ name: "sound", private: true, type: "module" }, null, 2)}\n`,
  "src/main.ts": 'import { run } from "./processes/run.ts";\n\nawait run();\n',
  "src/processes/run.ts":
    'import { frames } from "../engine/frames.ts";\n\n' +
    "export async function run(): Promise<void> {\n" +
    '  const { level } = await import("../platform/level.ts");\n' +
    '  process.stdout.write(`${frames("a.y4m")} ${level(process.env["SVC_LEVEL"])}\\n`);\n' +
    "}\n",
  "src/engine/frames.ts": "export function frames(path: string): number {\n  return path.length;\n}\n",
  "src/platform/level.ts":
    'export function level(value: string | undefined): string {\n  return value ?? "info";\n}\n',
  "web/src/main.tsx": 'document.title = "svc";\n',
  "test/unit/frames.test.ts":
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\n' +
    'import { frames } from "../../src/engine/frames.ts";\n\n' +
    'test("frames", () => {\n  assert.equal(frames("abc"), 3);\n});\n',
};

export class Checkout implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "checkout-"));

  constructor() {
    for (const name of SETTINGS) cpSync(join(PROJECT, name), join(this.root, name), { recursive: true });
    for (const [path, text] of Object.entries(FILES)) this.write(path, text);
    symlinkSync(join(PROJECT, "node_modules"), join(this.root, "node_modules"));
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Commits the current files as the only commit. */
  commit(subject = "checkout: sound"): void {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
    for (const args of [
      ["init", "-q"],
      ["add", "--all"],
      ["commit", "-q", "-m", subject, "--no-verify"],
    ]) {
      execFileSync("git", [...author, ...QUIET, ...args], { cwd: this.root });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
