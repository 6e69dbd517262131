/** Emulates a terminal's screen: text, line breaks and the cursor movements that svc uses. */

const ESCAPE = "\x1b";
const COMMAND_OR_CHARACTER = new RegExp(`${ESCAPE}\\[(\\d*)([A-Za-z])|[\\s\\S]`, "gu");

export class Screen {
  columns: number;
  readonly rows: number;
  /** Lines that have scrolled off the top. */
  scrolled = 0;
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): void {
    for (const [whole, count = "", command] of text.matchAll(COMMAND_OR_CHARACTER)) {
      if (command === undefined) this.#put(whole);
      else this.#move(command, Number(count || 1));
    }
  }

  /** Rewraps lines like most terminals: one line of text stays one line. */
  resize(columns: number): void {
    const before = this.#lines.slice(0, this.#row + 1);
    this.#lines = [];
    for (const line of before) {
      do this.#lines.push(line.splice(0, columns));
      while (line.length > 0);
    }
    this.columns = columns;
    this.#row = this.#lines.length - 1;
    this.#column = this.#lines[this.#row]?.length ?? 0;
  }

  /** Returns the visible text without trailing empty lines. */
  text(): string {
    return this.#lines
      .map((line) => line.join("").trimEnd())
      .join("\n")
      .trimEnd();
  }

  #put(character: string): void {
    if (character === ESCAPE) throw new Error("an unexpected escape sequence");
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#newLine();
    else {
      if (this.#column === this.columns) this.#newLine();
      const line = this.#line();
      while (line.length < this.#column) line.push(" ");
      line[this.#column++] = character;
    }
  }

  #newLine(): void {
    this.#column = 0;
    if (++this.#row < this.#lines.length) return;
    this.#lines.push([]);
    if (this.#lines.length - this.scrolled > this.rows) this.scrolled++;
  }

  #move(command: string, count: number): void {
    if (command === "A") this.#row = Math.max(this.scrolled, this.#row - count);
    else if (command === "J") {
      this.#lines.length = this.#row + 1;
      this.#line().length = Math.min(this.#line().length, this.#column);
    } else if (command !== "m") throw new Error(`an unexpected terminal command: ${command}`);
  }

  #line(): string[] {
    const line = this.#lines[this.#row] ?? [];
    this.#lines[this.#row] = line;
    return line;
  }
}
