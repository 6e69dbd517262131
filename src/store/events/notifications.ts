/** Delivers announcements: immediately in this process, and in small batches to other controllers on the database. */
import { isWorkClass } from "../../jobs/work.ts";
import { isObject } from "../../platform/json.ts";
import type { Announcement } from "../contract/store.ts";
import type { Ready } from "../contract/task-records.ts";

/** Sends batches to other processes. */
export interface Carrier {
  /** Sends the payloads of a batch. Never fails. */
  send(payloads: readonly string[]): void;
  close(): Promise<void>;
}

/** Announcements within this time are sent as one batch, in milliseconds. */
const GATHER_MS = 10;
/** The payload of NOTIFY must be shorter than 8,000 bytes. */
const MAX_BYTES = 7_900;

export class Announcements {
  readonly #listeners = new Set<(announcement: Announcement) => void>();
  readonly #carry: Carrier["send"];
  #work = new Map<string, Ready>();
  #nodeIds = new Set<string>();
  #capacityReleased = new Set<string>();
  #events = false;
  #revocations = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param carry sends payloads to other processes, if there are any. */
  constructor(carry: Carrier["send"]) {
    this.#carry = carry;
  }

  announce(announcement: Announcement): void {
    this.receive(announcement);
    switch (announcement.kind) {
      case "work":
        for (const ready of announcement.ready) this.#work.set(`${ready.workClass} ${ready.tenant}`, ready);
        if (announcement.ready.length === 0) this.#work.set("", { tenant: "", workClass: "" });
        break;
      case "news":
        for (const id of announcement.nodeIds) this.#nodeIds.add(id);
        break;
      case "freed":
        for (const tenant of announcement.tenants) this.#capacityReleased.add(tenant);
        break;
      case "revocations":
        this.#revocations = true;
        break;
      case "events":
        this.#events = true;
    }
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  onAnnouncement(listener: (announcement: Announcement) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies only the listeners of this process. */
  receive(announcement: Announcement): void {
    for (const listener of this.#listeners) listener(announcement);
  }

  /** Sends the pending batch and stops. */
  close(): void {
    if (this.#timer !== undefined) this.#flush();
    this.#listeners.clear();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered: Announcement[] = [];
    if (this.#work.size > 0)
      gathered.push({ kind: "work", ready: this.#work.has("") ? [] : [...this.#work.values()] });
    if (this.#events) gathered.push({ kind: "events" });
    if (this.#revocations) gathered.push({ kind: "revocations" });
    if (this.#capacityReleased.size > 0)
      gathered.push({ kind: "freed", tenants: [...this.#capacityReleased] });
    if (this.#nodeIds.size > 0) gathered.push({ kind: "news", nodeIds: [...this.#nodeIds] });
    this.#work = new Map();
    this.#nodeIds = new Set();
    this.#capacityReleased = new Set();
    this.#events = false;
    this.#revocations = false;
    this.#carry(payloadsOf(gathered));
  }
}

/** Splits announcements into payloads of allowed size. A work announcement that is too long becomes "any work". */
function payloadsOf(gathered: readonly Announcement[]): string[] {
  return gathered.flatMap((announcement) => {
    const whole = JSON.stringify(announcement);
    if (Buffer.byteLength(whole) <= MAX_BYTES) return [whole];
    if (announcement.kind === "work") return [JSON.stringify({ kind: "work", ready: [] })];
    if (announcement.kind === "news")
      return payloadsOf(halvesOf(announcement.nodeIds).map((nodeIds) => ({ kind: "news", nodeIds })));
    if (announcement.kind === "freed")
      return payloadsOf(halvesOf(announcement.tenants).map((tenants) => ({ kind: "freed", tenants })));
    return [whole];
  });
}

function halvesOf(list: readonly string[]): readonly (readonly string[])[] {
  const half = Math.ceil(list.length / 2);
  return [list.slice(0, half), list.slice(half)];
}

/** Parses a payload of another process; undefined if this version does not know it. */
export function announcementOf(payload: string): Announcement | undefined {
  try {
    const { kind, ready, nodeIds, tenants } = JSON.parse(payload) as Record<string, unknown>;
    if (kind === "events" || kind === "revocations") return { kind };
    if (kind === "work" && Array.isArray(ready) && ready.every(isReady)) return { kind, ready };
    if (kind === "news" && Array.isArray(nodeIds) && nodeIds.every(isText)) return { kind, nodeIds };
    if (kind === "freed" && Array.isArray(tenants) && tenants.every(isText)) return { kind, tenants };
  } catch {
    // Every database user can send arbitrary payloads on a channel.
  }
  return undefined;
}

function isReady(value: unknown): value is Ready {
  if (!isObject(value)) return false;
  const { tenant, workClass } = value;
  return isText(tenant) && isText(workClass) && isWorkClass(workClass);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
