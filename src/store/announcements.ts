/** Announcements: at once to this process, and in small bundles to the other controllers on the database. */
import { isWorkClass } from "../jobs/work.ts";
import type { Announcement, Ready } from "./store.ts";

/** Carries bundles to other processes. */
export interface Carrier {
  /** Never fails. */
  send(payload: string): void;
  close(): Promise<void>;
}

/** What is announced within this time goes in one message, in milliseconds. */
const GATHER_MS = 10;
/** PostgreSQL carries less than 8,000 bytes. */
const MOST_BYTES = 7_900;

export class Announcements {
  readonly #listeners = new Set<(announcement: Announcement) => void>();
  readonly #carry: (payload: string) => void;
  #work = new Map<string, Ready>();
  #nodeIds = new Set<string>();
  #events = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param carry takes bundles for other processes; there may be none. */
  constructor(carry: (payload: string) => void) {
    this.#carry = carry;
  }

  announce(announcement: Announcement): void {
    this.tell(announcement);
    switch (announcement.kind) {
      case "work":
        for (const ready of announcement.ready) this.#work.set(`${ready.workClass} ${ready.tenant}`, ready);
        if (announcement.ready.length === 0) this.#work.set("", { tenant: "", workClass: "" });
        break;
      case "news":
        for (const id of announcement.nodeIds) this.#nodeIds.add(id);
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

  /** To the listeners of this process only. */
  tell(announcement: Announcement): void {
    for (const listener of this.#listeners) listener(announcement);
  }

  /** Sends what has gathered, and gathers nothing more. */
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
    if (this.#nodeIds.size > 0) gathered.push({ kind: "news", nodeIds: [...this.#nodeIds] });
    this.#work = new Map();
    this.#nodeIds = new Set();
    this.#events = false;
    for (const payload of payloadsOf(gathered)) this.#carry(payload);
  }
}

/** Each announcement in as many messages as it takes; too much work is "work, anywhere". */
function payloadsOf(gathered: readonly Announcement[]): string[] {
  return gathered.flatMap((announcement) => {
    const whole = JSON.stringify(announcement);
    if (Buffer.byteLength(whole) <= MOST_BYTES) return [whole];
    if (announcement.kind === "work") return [JSON.stringify({ kind: "work", ready: [] })];
    if (announcement.kind === "events") return [whole];
    const half = Math.ceil(announcement.nodeIds.length / 2);
    const halves = [announcement.nodeIds.slice(0, half), announcement.nodeIds.slice(half)];
    return payloadsOf(halves.map((nodeIds) => ({ kind: "news", nodeIds })));
  });
}

/** A bundle of another process; undefined for what none of this version sends. */
export function announcementOf(payload: string): Announcement | undefined {
  try {
    const { kind, ready, nodeIds } = JSON.parse(payload) as Record<string, unknown>;
    if (kind === "events") return { kind };
    if (kind === "work" && Array.isArray(ready) && ready.every(isReady)) return { kind, ready };
    if (kind === "news" && Array.isArray(nodeIds) && nodeIds.every(isText)) return { kind, nodeIds };
  } catch {
    // Anybody who may connect may send anything on a channel.
  }
  return undefined;
}

function isReady(value: unknown): value is Ready {
  if (typeof value !== "object" || value === null) return false;
  const { tenant, workClass } = value as Record<string, unknown>;
  return isText(tenant) && isText(workClass) && isWorkClass(workClass);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
