/** A copy of svc without the current scorer, with the packages of this checkout: npm's older scorer is there. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended, type Running, start } from "../cli/program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export class SvcCopy implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "svc-copy-"));
  readonly #sources: string;

  /** `kind`: a checkout keeps its sources in src, an installed package in lib. */
  constructor(kind: "checkout" | "package") {
    this.#sources = join(this.root, kind === "checkout" ? "src" : "lib");
    cpSync(join(ROOT, "src"), this.#sources, { recursive: true });
    cpSync(join(ROOT, "package.json"), join(this.root, "package.json"));
    for (const shared of ["node_modules", "api"]) symlinkSync(join(ROOT, shared), join(this.root, shared));
    mkdirSync(this.data);
  }

  /** $XDG_DATA_HOME of its processes. */
  get data(): string {
    return join(this.root, "data");
  }

  file(...path: readonly string[]): string {
    return join(this.root, ...path);
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
    const main = join(this.#sources, "main.ts");
    return start(process.execPath, [main, ...args], { env: { XDG_DATA_HOME: this.data, ...env } });
  }

  async run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> {
    await using running = this.start(args, env);
    running.child.stdin?.end();
    return await running.ended();
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true });
  }
}
