/**
 * Decides when a change found by polling counts: once, when two polls in a row have found it. A half-written or
 * momentarily missing state does not count.
 */
export class Settled {
  #last: string;
  #counted: string;

  /** `key` identifies the initial state; equal keys mean that nothing changed. */
  constructor(key: string) {
    this.#last = key;
    this.#counted = key;
  }

  /** Records a poll. Returns true if its result counts as a change now. */
  see(key: string): boolean {
    const counts = key === this.#last && key !== this.#counted;
    this.#last = key;
    if (counts) this.#counted = key;
    return counts;
  }
}
