/** Follows what is changed from outside, such as a file, by looking at it now and then. */
import { Background, pause } from "./lifecycle.ts";
import { Settled } from "./settled.ts";

/** A change counts at the second look that finds it, so it is in force within twice this, and the time to look. */
const LOOK_EVERY_MS = 2_000;

/** What a look found; two looks with the same `key` found the same. */
export interface Seen {
  readonly key: string;
}

export interface FollowerOptions<Found extends Seen> {
  /** What is known at the beginning. */
  readonly known: Seen;
  /** Never throws: what is wrong is a finding too. */
  readonly look: () => Promise<Found>;
  /** Called with every change that counts, once. */
  readonly take: (found: Found) => void;
  /** Milliseconds between two looks; default 2000. */
  readonly everyMs?: number | undefined;
}

/**
 * Looking at the content, and not waiting to be told, also finds what is replaced by rename, as editors
 * do it, or behind a symbolic link, as Kubernetes does it.
 */
export class Follower<Found extends Seen> {
  readonly #options: FollowerOptions<Found>;
  readonly #settled: Settled;
  readonly #following = new Background((signal, isStarted) => this.#follow(signal, isStarted));

  constructor(options: FollowerOptions<Found>) {
    this.#options = options;
    this.#settled = new Settled(options.known.key);
  }

  start(): void {
    this.#following.start();
  }

  /** Safe twice, and before the start. */
  async stop(): Promise<void> {
    await this.#following.stop();
  }

  async #follow(signal: AbortSignal, isStarted: () => void): Promise<void> {
    const { look, take, everyMs = LOOK_EVERY_MS } = this.#options;
    isStarted();
    while (!signal.aborted) {
      await pause(everyMs, signal);
      if (signal.aborted) return;
      const found = await look();
      if (this.#settled.see(found.key)) take(found);
    }
  }
}
