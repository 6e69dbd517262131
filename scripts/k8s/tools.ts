/**
 * Kubernetes programs that tests run, built from the upstream Go modules.
 *
 * Each has a folder in scripts/k8s/tools whose go.mod and go.sum pin it and its dependencies. It is built once per
 * content of these two files, Go version and linker flags, and kept in the user's cache folder: a build takes minutes,
 * and a fresh clone needs the same one.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { alone } from "../alone.mjs";

export const TOOL_NAMES = ["helm", "kube-apiserver"] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

interface Tool {
  /** The folder of its go.mod in scripts/k8s/tools. */
  readonly folder: string;
  /** Flags for Go's linker. */
  readonly link: string;
}

const STRIPPED = "-s -w";
const TOOLS: Record<ToolName, Tool> = {
  helm: { folder: "helm", link: STRIPPED },
  // A binary that is not built by the scripts of the Kubernetes project reports v0.0.0, which helm refuses.
  "kube-apiserver": {
    folder: "apiserver",
    link: `${STRIPPED} -X k8s.io/component-base/version.gitVersion=v1.35.4`,
  },
};

/** A cold build of the API server takes about 8 minutes on 2 cores. */
const BUILD_LIMIT_MS = 40 * 60_000;

/** The cache folder: $XDG_CACHE_HOME/svc, or ~/.cache/svc. */
export function cacheFolder(): string {
  const base = process.env["XDG_CACHE_HOME"] ?? "";
  return join(base === "" ? join(homedir(), ".cache") : base, "svc");
}

/** Returns the path of a program; builds it first if necessary. `say` gets messages about the build. */
export async function tool(name: ToolName, say: (line: string) => void = () => {}): Promise<string> {
  const { folder, link } = TOOLS[name];
  const source = join(import.meta.dirname, "tools", folder);
  const kept = join(cacheFolder(), "tools", await keyOf(name, source, link));
  const program = join(kept, name);
  if (existsSync(program)) return program;
  return alone(`svc-tool-${createHash("sha256").update(kept).digest("hex").slice(0, 16)}`, async () => {
    if (existsSync(program)) return program;
    say(`building ${name} (once, some minutes)`);
    const started = performance.now();
    await build(source, kept, link);
    say(`built ${name} in ${Math.round((performance.now() - started) / 1000)} s`);
    return program;
  });
}

/** Returns why programs cannot be built here; undefined if they can. */
export async function goProblem(): Promise<string | undefined> {
  try {
    await goVersion();
    return undefined;
  } catch {
    return "Go is missing: install Go 1.26 or newer and put it on the PATH";
  }
}

async function keyOf(name: ToolName, source: string, link: string): Promise<string> {
  const hash = createHash("sha256")
    .update(await goVersion())
    .update(link);
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(source, file)));
  return `${name}-${hash.digest("hex").slice(0, 16)}`;
}

/** Builds into a temporary folder and renames it, so that an interrupted build leaves nothing that looks complete. */
async function build(source: string, kept: string, link: string): Promise<void> {
  const parent = join(cacheFolder(), "tools");
  mkdirSync(parent, { recursive: true });
  const unfinished = mkdtempSync(join(parent, "unfinished-"));
  try {
    const flags = ["-mod=readonly", "-trimpath", `-ldflags=${link}`];
    await go(["build", ...flags, "-o", `${unfinished}/`, "tool"], source);
    renameSync(unfinished, kept);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

const goVersion = (): Promise<string> => go(["env", "GOVERSION", "GOOS", "GOARCH"], import.meta.dirname);

/** Runs Go and returns its standard output. */
function go(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("go", args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: BUILD_LIMIT_MS });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
    }
    child.on("error", (error) => reject(new Error(`failed to start go: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(output.stdout);
      reject(
        new Error(
          `"go ${args.join(" ")}" in ${cwd} exited with ${String(code ?? signal)}:\n${output.stderr}`,
        ),
      );
    });
  });
}
