/** Parses per-frame CSV as its bytes arrive: 30 MB of digits become numbers without ever being one string. */
import { cellText } from "../../../../src/jobs/text/csv-row.ts";

const LINE_END = 10;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;

/** The last column. It is not a metric; times are computed from frame numbers. */
const TIME = "time";

/**
 * Powers of ten by number of decimals. Both operands of the division are exact, so the result is the nearest
 * number.
 */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

export interface CsvSink {
  /** The columns after the frame number. Called before any row. */
  header(metrics: readonly string[]): void;
  /** `values` is reused between calls; NaN for an empty cell. */
  row(frame: number, values: Float64Array): void;
}

export class CsvReader {
  readonly #sink: CsvSink;
  /** Bytes of the header so far; undefined once it is parsed. */
  #header: number[] | undefined = [];
  #isQuoted = false;
  #values = new Float64Array(0);
  /**
   * Number of complete cells in the current line; the first cell is the frame number, the last may be the
   * time.
   */
  #cells = 0;
  /** Cells per line. */
  #width = 0;
  #frame = 0;
  #mantissa = 0;
  #digits = 0;
  /** Digits after the decimal point; -1 if there is no point yet. */
  #decimals = -1;
  #isNegative = false;

  constructor(sink: CsvSink) {
    this.#sink = sink;
  }

  /** Throws TypeError if the bytes are not CSV of frames. */
  push(bytes: Uint8Array): void {
    const start = this.#header === undefined ? 0 : this.#readHeader(bytes, this.#header);
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte >= ZERO && byte <= NINE) {
        this.#mantissa = this.#mantissa * 10 + byte - ZERO;
        this.#digits++;
        if (this.#decimals >= 0) this.#decimals++;
      } else if (byte === COMMA) this.#endCell();
      else if (byte === LINE_END) this.#endLine();
      else if (byte === POINT && this.#decimals < 0) this.#decimals = 0;
      else if (byte === MINUS && this.#digits === 0) this.#isNegative = true;
      else
        throw new TypeError(
          `The per-frame scores contain an unexpected character "${String.fromCharCode(byte)}".`,
        );
    }
  }

  /** Throws TypeError if the body ended within a line. */
  end(): void {
    if (this.#header !== undefined || this.#cells > 0 || this.#digits > 0)
      throw new TypeError("The per-frame scores end in the middle of a line.");
  }

  /** Returns the offset at which the rows start. */
  #readHeader(bytes: Uint8Array, header: number[]): number {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      if (byte !== LINE_END || this.#isQuoted) {
        header.push(byte);
        continue;
      }
      const [, ...columns] = cellsOf(new TextDecoder().decode(Uint8Array.from(header)));
      const metrics = columns.at(-1) === TIME ? columns.slice(0, -1) : columns;
      this.#width = columns.length + 1;
      this.#values = new Float64Array(metrics.length);
      this.#header = undefined;
      this.#sink.header(metrics);
      return at + 1;
    }
    return bytes.length;
  }

  #endCell(): void {
    const size = this.#mantissa / (POWERS[Math.max(0, this.#decimals)] ?? Number.NaN);
    const value = this.#digits === 0 ? Number.NaN : this.#isNegative ? -size : size;
    if (this.#cells === 0) this.#frame = value;
    else if (this.#cells <= this.#values.length) this.#values[this.#cells - 1] = value;
    this.#cells++;
    this.#mantissa = 0;
    this.#digits = 0;
    this.#decimals = -1;
    this.#isNegative = false;
  }

  #endLine(): void {
    this.#endCell();
    if (this.#cells !== this.#width || !Number.isInteger(this.#frame))
      throw new TypeError("A line of the per-frame scores does not match the header.");
    this.#cells = 0;
    this.#sink.row(this.#frame, this.#values);
  }
}

/** The cells of a line as csvRow writes it. */
function cellsOf(line: string): string[] {
  const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? [];
  const texts = cells.map((cell) => cell.replace(/,$/, ""));
  // The regular expression also matches the end of the line, as an empty cell.
  if (!line.endsWith(",")) texts.pop();
  return texts.map((text) => cellText(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text));
}
