/** Reads ffmpeg's log: its warnings and errors, and what nothing but a message tells. */

/** A frame of another size or format than the first (tags of colour may change: they are not looked at). */
export const SIZE_CHANGE =
  /filter context - w: (\d+) h: (\d+) fmt: (-?\d+) .*incoming frame - w: (?!\1 h: \2 fmt: \3 )/;

/**
 * A picture that a decoder completed by guessing, or lost. ffmpeg can exit with 0 after each of these, with -xerror
 * and -err_detect explode too: the FFV1 decoder and the Ogg demuxer only log a wrong checksum, and with frame threads
 * the flag on a concealed picture can come too late.
 */
const CONCEALMENT =
  /concealing \d+ DC, \d+ AC, \d+ MV errors|slice CRC mismatch|bytestream end mismatching by|\[ogg @ [^\]]*\] CRC mismatch/;

/** "[context] [level] text"; a message of concealment is an "info". */
const LINE = /^((?:\[[^\]]*\] )*?)\[(info|warning|error|fatal|panic)\] (.*)$/;

/** The last messages of a run, for what went wrong in it. */
export class Messages {
  readonly #errors: string[] = [];
  #sizeChange: string | undefined;
  #concealment: string | undefined;

  /** Takes a line of ffmpeg's log. */
  read(line: string): void {
    // A file's own metadata could imitate the two below, but is printed before this line only.
    if (line === "[info] Stream mapping:") {
      this.#sizeChange = undefined;
      this.#concealment = undefined;
    }
    const [, context = "", level, text = ""] = LINE.exec(line) ?? [];
    if (level === undefined) return;
    const message = context + text;
    // Nothing but these messages tells of it, so the first is kept however many others come.
    if (CONCEALMENT.test(message)) this.#concealment ??= message;
    if (level === "info") return;
    if (SIZE_CHANGE.test(message)) this.#sizeChange ??= message;
    this.#errors.push(message);
    if (this.#errors.length > 200) this.#errors.splice(100, 1);
  }

  /** The first message of a frame of another size or format. */
  get sizeChange(): string | undefined {
    return this.#sizeChange;
  }

  /** The first message of a picture that was not decoded as it was coded. */
  get concealment(): string | undefined {
    return this.#concealment;
  }

  some(pattern: RegExp): boolean {
    return this.#errors.some((line) => pattern.test(line));
  }

  /** The first message, which names the cause; those after it are mostly its consequences. */
  first(pattern = /./): string | undefined {
    return this.#errors.find((line) => pattern.test(line));
  }

  /** All that is kept, for the log. */
  text(): string {
    return this.#errors.join("\n");
  }
}
