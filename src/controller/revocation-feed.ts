/**
 * Which tokens are revoked, as the store has it: read whole at the start, followed from then on. Whoever
 * changes it announces it; what is not heard is found with the next look.
 */
import { type Revocation, type RevocationList, RevocationTable } from "../auth/revocations.ts";
import { Doorbell, ringOnAbort } from "../platform/doorbell.ts";
import { Failure } from "../platform/failure.ts";
import { Background } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import type { RevocationChange } from "../store/revocation-store.ts";
import type { Store } from "../store/store.ts";

/** Milliseconds between two looks, for every controller to know within a second. */
export const LOOK_EVERY_MS = 500;
/** Changes that are read at a time. */
const PAGE = 2_000;
const DROP_EVERY_MS = 60_000;

export interface RevocationFeedOptions {
  readonly store: Pick<Store, "revocations">;
  readonly list: RevocationList;
  readonly log: Log;
  /** Default: LOOK_EVERY_MS. */
  readonly lookEveryMs?: number;
}

/** What is known, and up to which revision. */
interface Known {
  readonly table: RevocationTable;
  reached: number;
}

export class RevocationFeed {
  readonly #options: RevocationFeedOptions;
  readonly #bell = new Doorbell();
  readonly #loop = new Background((signal, isStarted) => this.#run(signal, isStarted));
  #known: Known | undefined;
  /** The read that was asked for last, and whether it waits for the one before. */
  #last: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #currentAt = performance.now();
  #droppedAt = performance.now();

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
  }

  /** Entries; none as long as nothing was read. */
  get size(): number {
    return this.#options.list.size ?? 0;
  }

  /** Milliseconds since the list was last known to be the store's. */
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

  /** Something has changed. */
  announce(): void {
    this.#bell.ring();
  }

  /** Resolves when the list has every change that was stored before the call. Throws STORE_UNAVAILABLE. */
  async refresh(): Promise<void> {
    // A read that is under way may have begun before the change; one that waits begins after it.
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
    const begun = performance.now();
    if (this.#known === undefined || !(await this.#follow(this.#known))) await this.#readAnew();
    this.#currentAt = begun;
    if (begun - this.#droppedAt < DROP_EVERY_MS) return;
    this.#droppedAt = begun;
    this.#known?.table.dropExpired(Date.now());
  }

  /** The list of before counts until the new one is whole. */
  async #readAnew(): Promise<void> {
    const anew: Known = { table: new RevocationTable(), reached: 0 };
    await this.#follow(anew);
    this.#options.list.replace(anew.table);
    this.#known = anew;
    this.#options.log.info({ entries: anew.table.size }, "the list of revoked tokens was read");
  }

  /** Applies what came after what is known. False: of that, something may be told no more, or never was. */
  async #follow(known: Known): Promise<boolean> {
    const knewSome = known.reached > 0;
    for (;;) {
      const page = await this.#options.store.revocations.changes(known.reached, PAGE);
      if (knewSome && (page.forgotten > known.reached || page.latest < known.reached)) return false;
      for (const change of page.changes) known.table.apply(revocationOf(change));
      known.reached = page.reached;
      if (page.changes.length < PAGE) return true;
    }
  }

  async #run(signal: AbortSignal, isStarted: () => void): Promise<void> {
    const end = ringOnAbort(signal, this.#bell);
    isStarted();
    let failed = false;
    while (!signal.aborted) {
      const failure = await this.#look();
      this.#tell(failed, failure);
      failed = failure !== undefined;
      await this.#bell.wait(this.#options.lookEveryMs ?? LOOK_EVERY_MS);
    }
    end();
  }

  async #look(): Promise<Failure | undefined> {
    try {
      await this.refresh();
      return undefined;
    } catch (thrown) {
      return Failure.from(thrown);
    }
  }

  /** Once that it fails, and once that it goes on. */
  #tell(failed: boolean, failure: Failure | undefined): void {
    const { log, list } = this.#options;
    if (failed === (failure !== undefined)) return;
    if (failure === undefined) log.info("the list of revoked tokens is up to date again");
    else {
      const what = list.size === undefined ? "no token is taken until it can" : "it stays as it was";
      log.warn({ err: failure.cause ?? failure }, `the list of revoked tokens cannot be read: ${what}`);
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
