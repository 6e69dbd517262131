/** Numbers that are added one by one, in a typed array that grows: a film has hundreds of thousands of times. */
export class NumberList {
  #numbers = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A view of all numbers so far, in their order. */
  get view(): Float64Array {
    return this.#numbers.subarray(0, this.#length);
  }

  add(number: number): void {
    if (this.#length === this.#numbers.length) {
      const grown = new Float64Array(this.#numbers.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.#length++] = number;
  }
}
