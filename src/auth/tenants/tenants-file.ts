/** The registry of tenants in a file, which is reloaded when the file changes. */
import { hash } from "node:crypto";
import type { Counter, Registry } from "prom-client";
import { messageOf } from "../../platform/errors.ts";
import { Follower, type Seen } from "../../platform/files/follower.ts";
import { readSmallFile } from "../../platform/files/small-file.ts";
import type { Log } from "../../platform/observability/log.ts";
import { reloadsCounter, showTenants } from "./metrics.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import type { Realms } from "./realm.ts";
import { describeFaults, readRegistry } from "./registry.ts";
import type { EntryRules, TenantRealm } from "./registry-entry.ts";

export interface TenantsFileOptions extends EntryRules {
  readonly path: string;
  readonly log: Log;
  readonly registry: Registry;
  /** Called after every change: OK if it was loaded, FAULTY if the tenants stayed as they were. */
  readonly changed?: (outcome: "OK" | "FAULTY") => void;
}

/** The file cannot be used at startup. The message names the file and every fault. */
export class TenantsFileError extends Error {
  override readonly name = "TenantsFileError";
  readonly faults: readonly string[];

  constructor(path: string, faults: readonly string[]) {
    super(`The tenants file ${path} cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

/** Result of one read of the file. */
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

/** The tenants of a file. Changes are loaded after `start`. */
export class TenantsFile {
  /** The tenants of the last valid content. */
  readonly realms: Realms = () => this.#realms;
  readonly #options: TenantsFileOptions;
  readonly #reloads: Counter<"outcome">;
  readonly #follower: Follower<Found>;
  #realms: readonly TenantRealm[];

  private constructor(options: TenantsFileOptions, found: Found, realms: readonly TenantRealm[]) {
    this.#options = options;
    this.#realms = realms;
    // The follower does not take a file that is still being written: its first lines alone may be a valid registry.
    this.#follower = new Follower({
      known: found,
      look: () => look(options.path),
      take: (change) => {
        const outcome = this.#take(change);
        this.#reloads.inc({ outcome });
        options.changed?.(outcome === "loaded" ? "OK" : "FAULTY");
      },
    });
    this.#reloads = reloadsCounter(options.registry, RELOADS);
    showTenants(options.registry, () => this.#realms.length);
  }

  /** Throws TenantsFileError if the file cannot be read or has any fault. */
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
      log.info(about, "tenants file reloaded");
      return "loaded";
    }
    log.error({ ...about, faults }, "failed to reload the tenants file; the tenants stay as they were");
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
