/**
 * Says when a change of something that is looked at now and then counts: at the second look in a
 * row that finds it, and then once. What is seen half done, or gone for a moment, does not count.
 */
export class Settled {
  #last: string;
  #counted: string;

  /** `key` names what is known already; equal keys mean that nothing changed. */
  constructor(key: string) {
    this.#last = key;
    this.#counted = key;
  }

  /** True when what this look found counts from now on. */
  see(key: string): boolean {
    const counts = key === this.#last && key !== this.#counted;
    this.#last = key;
    if (counts) this.#counted = key;
    return counts;
  }
}
