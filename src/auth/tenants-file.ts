/** The registry of tenants in a file, followed while the process runs. */
import { hash } from "node:crypto";
import type { Counter, Registry } from "prom-client";
import { Follower, type Seen } from "../platform/follower.ts";
import type { Log } from "../platform/log.ts";
import { readSmallFile } from "../platform/small-file.ts";
import { messageOf } from "../platform/thrown.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import type { Realms } from "./realm.ts";
import { describeFaults, readRegistry } from "./registry.ts";
import type { EntryRules, TenantRealm } from "./registry-entry.ts";
import { reloadsCounter, showTenants } from "./tenants-metrics.ts";

export interface TenantsFileOptions extends EntryRules {
  readonly path: string;
  readonly log: Log;
  readonly registry: Registry;
  /** Called after every change with what became of it: OK, or FAULTY and the tenants stay as they were. */
  readonly changed?: (outcome: "OK" | "FAULTY") => void;
  /** Milliseconds between two looks at the file. */
  readonly lookEveryMs?: number;
}

/** The file cannot be used at start-up; the message names the file and every fault. */
export class TenantsFileError extends Error {
  override readonly name = "TenantsFileError";
  readonly faults: readonly string[];

  constructor(path: string, faults: readonly string[]) {
    super(`The tenants file ${path} cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

/** What a look at the file found. */
type Found = Seen &
  (
    | { readonly bytes: Uint8Array; readonly trouble?: never }
    | { readonly bytes?: never; readonly trouble: string }
  );

type Judged =
  | { readonly realms: readonly TenantRealm[]; readonly faults?: never }
  | { readonly realms?: never; readonly faults: readonly string[] };

const RELOADS = ["loaded", "faulty", "unreadable"] as const;
type Reload = (typeof RELOADS)[number];

/** Until `start` it stays as it was opened. */
export class TenantsFile {
  /** Every tenant of the last content that was free of faults. */
  readonly realms: Realms = () => this.#realms;
  readonly #options: TenantsFileOptions;
  readonly #reloads: Counter<"outcome">;
  readonly #follower: Follower<Found>;
  #realms: readonly TenantRealm[];

  private constructor(options: TenantsFileOptions, found: Found, realms: readonly TenantRealm[]) {
    this.#options = options;
    this.#realms = realms;
    // A file that is being written is not half taken: its beginning alone may be a sound registry.
    this.#follower = new Follower({
      known: found,
      look: () => look(options.path),
      take: (change) => {
        const outcome = this.#take(change);
        this.#reloads.inc({ outcome });
        options.changed?.(outcome === "loaded" ? "OK" : "FAULTY");
      },
      everyMs: options.lookEveryMs,
    });
    this.#reloads = reloadsCounter(options.registry, RELOADS);
    showTenants(options.registry, () => this.#realms.length);
  }

  /** Throws TenantsFileError when the file cannot be read or has any fault. */
  static async open(options: TenantsFileOptions): Promise<TenantsFile> {
    const found = await look(options.path);
    const { realms, faults } = judge(found, options);
    if (realms === undefined) throw new TenantsFileError(options.path, faults);
    return new TenantsFile(options, found, realms);
  }

  start(): void {
    this.#follower.start();
  }

  async stop(): Promise<void> {
    await this.#follower.stop();
  }

  #take(found: Found): Reload {
    const { path, log } = this.#options;
    const { realms, faults } = judge(found, this.#options);
    const about = { path, tenants: (realms ?? this.#realms).length };
    if (realms !== undefined) {
      this.#realms = realms;
      log.info(about, "the tenants file was loaded again");
      return "loaded";
    }
    log.error({ ...about, faults }, "the tenants file cannot be used: the tenants stay as they were");
    return found.bytes === undefined ? "unreadable" : "faulty";
  }
}

function judge({ bytes, trouble }: Found, rules: EntryRules): Judged {
  if (bytes === undefined) return { faults: [trouble] };
  const { value, faults: broken } = readPlainYaml(bytes);
  if (broken !== undefined) return { faults: broken };
  const { realms, faults } = readRegistry(value, rules);
  return realms === undefined ? { faults: describeFaults(faults) } : { realms };
}

async function look(path: string): Promise<Found> {
  try {
    const bytes = await readSmallFile(path);
    return { key: hash("sha256", bytes), bytes };
  } catch (error) {
    return unreadable(messageOf(error));
  }
}

function unreadable(trouble: string): Found {
  return { key: `unreadable: ${trouble}`, trouble };
}
