/** Lines at the bottom of a terminal that are redrawn in place, while others scroll by above them. */
import { columnsOf } from "./width.ts";

/** The part of a terminal that is used. One that does not know its size (a serial line) says 0. */
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

  /** Lines that can be drawn at most: a block higher than the screen could not be taken back. */
  get height(): number {
    return Math.max(1, (this.#output.rows || DEFAULT_ROWS) - 1);
  }

  /** Draws the lines where the ones before are. Each must be narrower than the terminal. */
  draw(lines: readonly string[]): void {
    const shown = lines.slice(0, this.height);
    this.#output.write(this.#back() + shown.join("\n"));
    this.#drawn = shown;
  }

  /** Takes the block away; what is written next stands where it was. Safe twice. */
  clear(): void {
    if (this.#drawn.length > 0) this.#output.write(this.#back());
    this.#drawn = [];
  }

  /**
   * To the block's first column, with everything below erased. A terminal that was made narrower
   * since has broken the lines that do not fit any more.
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
