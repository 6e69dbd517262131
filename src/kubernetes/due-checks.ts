/** Runs checks that are due, a few at a time. */

/** Concurrent checks. */
const MAX_AT_ONCE = 8;

export class DueChecks {
  readonly #check: (key: string) => Promise<void>;
  readonly #running = new Set<string>();
  #due: string[] = [];

  /** `check` never rejects. */
  constructor(check: (key: string) => Promise<void>) {
    this.#check = check;
  }

  /** Replaces the list of due checks and starts them, up to the limit; the end of each starts another. */
  startDue(due: Iterable<string>): void {
    this.#due = [...new Set(due)];
    this.#startNext();
  }

  /** Starts no further checks. */
  stop(): void {
    this.#due = [];
  }

  #startNext(): void {
    while (this.#running.size < MAX_AT_ONCE) {
      const key = this.#due.shift();
      if (key === undefined) return;
      if (!this.#running.has(key)) void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    this.#running.add(key);
    await this.#check(key);
    this.#running.delete(key);
    this.#startNext();
  }
}
