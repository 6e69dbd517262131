/** Lines at the bottom of a terminal that are redrawn in place while other lines scroll above them. */
import { columnsOf } from "./width.ts";

/**
 * The members of a terminal that are used. A terminal that doesn't know its size (a serial line) reports 0.
 */
export interface LiveOutput {
  write(text: string): unknown;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
const ERASE_BELOW = "\x1b[J";

export class LiveBlock {
  readonly #output: LiveOutput;
  #drawn: readonly string[] = [];

  constructor(output: LiveOutput) {
    this.#output = output;
  }

  /** Limit of drawn lines: a block taller than the screen could not be erased. */
  get height(): number {
    return Math.max(1, (this.#output.rows || DEFAULT_ROWS) - 1);
  }

  /** Draws the lines in place of the previous ones. Each must be narrower than the terminal. */
  draw(lines: readonly string[]): void {
    const shown = lines.slice(0, this.height);
    this.#output.write(this.#back() + shown.join("\n"));
    this.#drawn = shown;
  }

  /** Erases the block; the next output starts where it was. Safe to call twice. */
  clear(): void {
    if (this.#drawn.length > 0) this.#output.write(this.#back());
    this.#drawn = [];
  }

  /**
   * Returns the control sequence that moves to the block's first column and erases everything below. It allows for
   * lines that wrapped because the terminal was made narrower.
   */
  #back(): string {
    if (this.#drawn.length === 0) return "";
    const columns = this.#output.columns || DEFAULT_COLUMNS;
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / columns)),
      0,
    );
    return `\r${rows > 1 ? `\x1b[${rows - 1}A` : ""}${ERASE_BELOW}`;
  }
}
