/**
 * Keeps the list of revoked tokens in sync with the store: reads it whole at the start, then follows changes. Changes
 * are announced; a missed announcement is found at the next poll.
 */
import { type Revocation, type RevocationList, RevocationTable } from "../../auth/tokens/revocations.ts";
import { Background } from "../../platform/concurrency/lifecycle.ts";
import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { RevocationChange } from "../../store/contract/revocation-store.ts";
import type { Store } from "../../store/contract/store.ts";

/** Milliseconds between polls, so that every controller knows a change within a second. */
export const LOOK_EVERY_MS = 500;
/** Changes read at a time. */
const PAGE = 2_000;
const DROP_EVERY_MS = 60_000;

export interface RevocationFeedOptions {
  readonly store: Pick<Store, "revocations">;
  readonly list: RevocationList;
  readonly log: Log;
}

/** The list, and the revision up to which it was read. */
interface Snapshot {
  readonly table: RevocationTable;
  reached: number;
}

export class RevocationFeed {
  readonly #options: RevocationFeedOptions;
  readonly #notifier = new Notifier();
  readonly #loop = new Background((signal, isStarted) => this.#run(signal, isStarted));
  #snapshot: Snapshot | undefined;
  /** The read that was requested last, and the one that waits for it. */
  #last: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #currentAt = performance.now();
  #droppedAt = performance.now();

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
  }

  /** Number of entries; 0 until the first read. */
  get size(): number {
    return this.#options.list.size ?? 0;
  }

  /** Milliseconds since the list was last known to match the store. */
  get ageMs(): number {
    return performance.now() - this.#currentAt;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#last.catch(() => {});
  }

  /** Signals that there may be changes. */
  announce(): void {
    this.#notifier.notify();
  }

  /** Resolves when the list includes every change stored before the call. Throws STORE_UNAVAILABLE. */
  async refresh(): Promise<void> {
    // A running read may have begun before the change; a waiting one begins after it.
    this.#waiting ??= this.#after(this.#last);
    await this.#waiting;
  }

  #after(before: Promise<void>): Promise<void> {
    const next = async () => {
      this.#waiting = undefined;
      await this.#read();
    };
    this.#last = before.then(next, next);
    return this.#last;
  }

  async #read(): Promise<void> {
    const startedAt = performance.now();
    if (this.#snapshot === undefined || !(await this.#follow(this.#snapshot))) await this.#readAnew();
    this.#currentAt = startedAt;
    if (startedAt - this.#droppedAt < DROP_EVERY_MS) return;
    this.#droppedAt = startedAt;
    this.#snapshot?.table.dropExpired(Date.now());
  }

  /** Reads the whole list. The old list stays in effect until the new one is complete. */
  async #readAnew(): Promise<void> {
    const anew: Snapshot = { table: new RevocationTable(), reached: 0 };
    await this.#follow(anew);
    this.#options.list.replace(anew.table);
    this.#snapshot = anew;
    this.#options.log.info({ entries: anew.table.size }, "read the list of revoked tokens");
  }

  /** Applies changes since the known revision. Returns false if some of them may be gone, or the store is behind it. */
  async #follow(snapshot: Snapshot): Promise<boolean> {
    const knewSome = snapshot.reached > 0;
    for (;;) {
      const page = await this.#options.store.revocations.changes(snapshot.reached, PAGE);
      if (knewSome && (page.forgotten > snapshot.reached || page.latest < snapshot.reached)) return false;
      for (const change of page.changes) snapshot.table.apply(revocationOf(change));
      snapshot.reached = page.reached;
      if (page.changes.length < PAGE) return true;
    }
  }

  async #run(signal: AbortSignal, isStarted: () => void): Promise<void> {
    const end = notifyOnAbort(signal, this.#notifier);
    isStarted();
    let failed = false;
    while (!signal.aborted) {
      const failure = await this.#refresh();
      this.#logChange(failed, failure);
      failed = failure !== undefined;
      await this.#notifier.wait(LOOK_EVERY_MS);
    }
    end();
  }

  async #refresh(): Promise<Failure | undefined> {
    try {
      await this.refresh();
      return undefined;
    } catch (thrown) {
      return Failure.from(thrown);
    }
  }

  /** Logs once when reading starts to fail, and once when it works again. */
  #logChange(failed: boolean, failure: Failure | undefined): void {
    const { log, list } = this.#options;
    if (failed === (failure !== undefined)) return;
    if (failure === undefined) log.info("the list of revoked tokens is up to date again");
    else {
      const what =
        list.size === undefined ? "no token is accepted until this succeeds" : "the old list stays in effect";
      log.warn({ err: failure.cause ?? failure }, `failed to read the list of revoked tokens; ${what}`);
    }
  }
}

function revocationOf({
  tenant,
  kind,
  value,
  issuedBefore,
  expiresAt,
  lifted,
}: RevocationChange): Revocation {
  return {
    ...{ tenant, kind, value, lifted },
    issuedBefore: issuedBefore?.getTime(),
    expiresAt: expiresAt?.getTime(),
  };
}
