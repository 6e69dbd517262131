/** A folder with a tenants file that is followed, with a clock that tests control. */
import assert from "node:assert/strict";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import pino from "pino";
import { Registry } from "prom-client";
import { TenantsFile } from "../../src/auth/tenants/tenants-file.ts";

/** Milliseconds between two polls. */
const LOOK_EVERY_MS = 2_000;

interface Line {
  readonly level: number;
  readonly tenants: number;
  readonly faults?: readonly string[];
}

/** A YAML registry with these tenants. */
export function yaml(...ids: string[]): string {
  const oidc = "{issuer: https://login.example/, jwksEndpoint: https://login.example/keys}";
  return ids.map((id) => `- tenantId: ${id}\n  oidc: ${oidc}\n`).join("");
}

export class TenantsFolder {
  readonly folder: string;
  /** Of the tenants file. */
  readonly path: string;
  readonly lines: Line[] = [];
  /** The metrics of the files that are opened next. */
  registry = new Registry();
  readonly #opened: TenantsFile[] = [];

  private constructor(folder: string) {
    this.folder = folder;
    this.path = join(folder, "tenants.yaml");
  }

  static async make(): Promise<TenantsFolder> {
    mock.timers.enable({ apis: ["setTimeout"] });
    return new TenantsFolder(await mkdtemp(join(tmpdir(), "svc-tenants-")));
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((file) => file.stop()));
    await rm(this.folder, { recursive: true });
    mock.timers.reset();
  }

  async open(path = this.path): Promise<TenantsFile> {
    const write = (line: string): void => {
      this.lines.push(JSON.parse(line));
    };
    const log = pino({ level: "info", base: null }, { write });
    const file = await TenantsFile.open({ path, allowHttp: false, log, registry: this.registry });
    this.#opened.push(file);
    return file;
  }

  async follow(path = this.path): Promise<TenantsFile> {
    const file = await this.open(path);
    file.start();
    return file;
  }

  /** The log line about the next change. Polls follow one another without a pause. */
  async nextLine(change: () => Promise<unknown>): Promise<Line> {
    const count = this.lines.length;
    await change();
    while (this.lines.length === count) {
      mock.timers.tick(LOOK_EVERY_MS);
      await endOfTurn();
    }
    return this.lines.at(-1) ?? assert.fail();
  }

  /** Replaces the file atomically, as editors do. */
  async replace(text: string): Promise<void> {
    await writeFile(`${this.path}.new`, text);
    await rename(`${this.path}.new`, this.path);
  }

  async metric(name: string, outcome?: string): Promise<number | undefined> {
    const found = (await this.registry.getMetricsAsJSON()).find((one) => one.name === name);
    const values = found && "values" in found ? found.values : [];
    return values.find(({ labels }) => outcome === undefined || labels["outcome"] === outcome)?.value;
  }

  async reloads(): Promise<Record<string, number | undefined>> {
    const outcomes = ["loaded", "faulty", "unreadable"];
    const counts = outcomes.map(
      async (one) => [one, await this.metric("svc_tenants_reloads_total", one)] as const,
    );
    return Object.fromEntries(await Promise.all(counts));
  }
}

export function ids(file: TenantsFile): (string | undefined)[] {
  return file.realms().map(({ tenant }) => tenant?.id);
}
