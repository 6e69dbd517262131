/** A gate checks one rule of the project. */
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

export interface Gate {
  readonly name: string;
  /** The rule in a few words. */
  readonly rule: string;
  /** Returns the violations in the checkout at root; empty if the rule holds. */
  readonly complaints: (root: string) => Promise<string[]>;
}

/** The checkout of this file, where the tools are installed. */
export const PROJECT = join(import.meta.dirname, "..", "..");

export interface Ran {
  readonly code: number | null;
  /** Standard output and standard error, in order of arrival. */
  readonly output: string;
}

/** Runs one of the project's tools in a folder, without colors and without input. */
export function run(root: string, command: string, args: readonly string[]): Promise<Ran> {
  const tools = join(PROJECT, "node_modules", ".bin");
  const env = { ...process.env, PATH: `${tools}${delimiter}${process.env["PATH"] ?? ""}`, NO_COLOR: "1" };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", (error) => reject(new Error(`failed to start ${command}: ${error.message}`)));
    child.on("close", (code) => resolve({ code, output: Buffer.concat(chunks).toString("utf8") }));
  });
}

/** A gate that runs a tool: a non-zero exit code is a violation, and the output describes it. */
export function toolGate(name: string, rule: string, command: string, ...args: string[]): Gate {
  return {
    name,
    rule,
    complaints: async (root) => {
      const { code, output } = await run(root, command, args);
      return code === 0
        ? []
        : [output.trim() === "" ? `${command} exited with ${String(code)}.` : output.trimEnd()];
    },
  };
}

/** Runs git, also in a checkout owned by another user, such as when root runs a user's tests. */
export function git(root: string, args: readonly string[]): Promise<Ran> {
  return run(root, "git", ["-c", "safe.directory=*", ...args]);
}
