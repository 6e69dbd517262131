/** A real Prometheus server on loopback that scrapes every second. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import { until, withTimeout } from "../waiting.ts";

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

interface Answer<Data> {
  readonly status: string;
  readonly error?: string;
  readonly data: Data;
}

export class Prometheus implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #url = "";

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
  }

  /** `jobs`: addresses to scrape, "127.0.0.1:PORT", by job. */
  static async start(
    jobs: Readonly<Record<string, readonly string[]>>,
    ruleFiles: readonly string[],
  ): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), "svc-prometheus-"));
    const config = join(folder, "prometheus.yaml");
    const scraped = Object.entries(jobs).map(([job, targets]) => ({
      job_name: job,
      static_configs: [{ targets, labels: { namespace: "video", svc_dev_pool: "cpu" } }],
    }));
    const settings = { scrape_interval: "1s", evaluation_interval: "2s" };
    await writeFile(config, stringify({ global: settings, rule_files: ruleFiles, scrape_configs: scraped }));
    const storage = `--storage.tsdb.path=${join(folder, "data")}`;
    const child = spawn(
      "prometheus",
      [`--config.file=${config}`, storage, "--web.listen-address=127.0.0.1:0", "--log.format=json"],
      { stdio: ["ignore", "ignore", "pipe"], cwd: folder },
    );
    const server = new Prometheus(child, folder);
    server.#url = `http://${await withTimeout(server.#address(), "the address of Prometheus")}`;
    await until(() => server.#isReady(), "Prometheus to be ready");
    return server;
  }

  /** Samples of an instant query. Throws if the query is invalid. */
  async query(expr: string): Promise<readonly Sample[]> {
    const { result } = await this.#get<{ result: readonly Sample[] }>(
      `query?query=${encodeURIComponent(expr)}`,
    );
    return Array.isArray(result) ? result : [];
  }

  /** Every rule with the outcome of its last evaluation. */
  async rules(): Promise<readonly { readonly name: string; readonly health: string }[]> {
    const { groups } = await this.#get<{ groups: { rules: { name: string; health: string }[] }[] }>("rules");
    return groups.flatMap(({ rules }) => rules);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      const gone = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await withTimeout(gone, "the end of Prometheus");
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #get<Data>(path: string): Promise<Data> {
    const answer = (await (await fetch(`${this.#url}/api/v1/${path}`)).json()) as Answer<Data>;
    if (answer.status !== "success") throw new Error(`${decodeURIComponent(path)}: ${answer.error}`);
    return answer.data;
  }

  async #address(): Promise<string> {
    if (this.#child.stderr === null) throw new Error("the log is not piped");
    for await (const line of createInterface({ input: this.#child.stderr })) {
      const { msg, address } = JSON.parse(line) as { msg: string; address?: string };
      if (msg !== "Listening on" || address === undefined) continue;
      // Further log output is read and dropped.
      this.#child.stderr.resume();
      return address;
    }
    throw new Error("Prometheus exited before it listened");
  }

  #isReady(): Promise<boolean> {
    return fetch(`${this.#url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}
