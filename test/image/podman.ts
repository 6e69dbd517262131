/** A test's images and containers: in the temporary folder, run by podman and runc, removed at the end. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "../waiting.ts";

const execute = promisify(execFile);

const OUTPUT_BYTES = 64 * 2 ** 20;

/** The documented restrictions: only /tmp is writable, and no capabilities. */
const CONFINED = [
  "--read-only",
  "--read-only-tmpfs=false",
  "--tmpfs=/tmp",
  "--cap-drop=ALL",
  "--security-opt=no-new-privileges",
];
/** podman's default is higher than root may set on some machines. */
const LIMITS = ["--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"];

export class Podman implements AsyncDisposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "p-"));

  /** Runs podman and returns its stdout. Throws its stderr if it fails. */
  async run(...args: readonly string[]): Promise<string> {
    const { stdout } = await execute("podman", [...this.#settings, ...args], { maxBuffer: OUTPUT_BYTES });
    return stdout;
  }

  /** Runs svc in a container of the image and returns its stdout. */
  once(image: string, options: readonly string[], ...args: readonly string[]): Promise<string> {
    return this.run("run", "--rm", ...this.#confined, ...options, image, ...args);
  }

  async start(image: string, options: readonly string[], ...args: readonly string[]): Promise<Container> {
    const name = `svc-${randomUUID()}`;
    await this.run("run", "--detach", `--name=${name}`, ...this.#confined, ...options, image, ...args);
    return new Container(this, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run("rm", "--all", "--force", "--time=0");
    await this.run("rmi", "--all", "--force");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #confined(): readonly string[] {
    return ["--network=host", ...CONFINED, ...LIMITS];
  }

  get #settings(): readonly string[] {
    const places = ["root", "runroot", "tmpdir"].map((place) => `--${place}=${join(this.#folder, place)}`);
    const manners = ["--cgroup-manager=cgroupfs", "--events-backend=none", "--runtime=runc"];
    return [...places, "--storage-driver=overlay", ...manners];
  }
}

export class Container {
  readonly #podman: Podman;
  readonly #name: string;

  constructor(podman: Podman, name: string) {
    this.#podman = podman;
    this.#name = name;
  }

  /** Runs a command in the container and returns its stdout. */
  execute(...command: readonly string[]): Promise<string> {
    return this.#podman.run("exec", this.#name, ...command);
  }

  /** Runs the image's HEALTHCHECK in the container. Throws if the process is unhealthy. */
  async checkHealth(): Promise<void> {
    await this.#podman.run("healthcheck", "run", this.#name);
  }

  /**
   * Resolves when the image's HEALTHCHECK reports a healthy process. A check that takes too long counts as unhealthy.
   */
  async isHealthy(): Promise<void> {
    const holds = () =>
      this.checkHealth().then(
        () => true,
        () => false,
      );
    await until(holds, async () => `a healthy process:\n${await this.log()}`);
  }

  /** Resolves when a GET of the URL returns 200. Throws the container's log if it takes too long. */
  async answers(url: string): Promise<void> {
    await until(
      () => isFine(url),
      async () => `a response from ${url}:\n${await this.log()}`,
    );
  }

  async log(): Promise<string> {
    return this.#podman.run("logs", this.#name);
  }

  /** Stops it as orchestrators do, and returns its exit code. */
  async stop(): Promise<number> {
    await this.#podman.run("stop", "--time=60", this.#name);
    return Number(await this.#podman.run("wait", this.#name));
  }
}

async function isFine(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
