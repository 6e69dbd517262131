/** Polls something that is changed from outside, such as a file. */
import { Background, pause } from "../concurrency/lifecycle.ts";
import { Settled } from "./settled.ts";

/** A change counts when two polls in a row have found it, so it takes effect within twice this time plus the polls. */
const LOOK_EVERY_MS = 2_000;

/** The result of a poll. Equal keys mean equal content. */
export interface Seen {
  readonly key: string;
}

export interface FollowerOptions<Found extends Seen> {
  /** The state at the start. */
  readonly known: Seen;
  /** Must not throw: a fault is a result too. */
  readonly look: () => Promise<Found>;
  /** Called once for every change. */
  readonly take: (found: Found) => void;
}

/**
 * Polls the content instead of watching for events. This also notices files replaced by rename, as editors do, or
 * behind a symbolic link, as in Kubernetes.
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

  /** May be called twice, and before `start`. */
  async stop(): Promise<void> {
    await this.#following.stop();
  }

  async #follow(signal: AbortSignal, isStarted: () => void): Promise<void> {
    const { look, take } = this.#options;
    isStarted();
    while (!signal.aborted) {
      await pause(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      const found = await look();
      if (this.#settled.see(found.key)) take(found);
    }
  }
}
