/** Reads ffmpeg's log: its warnings and errors, and facts that ffmpeg reports in no other way. */

/** Matches a frame of another size or format than the first one. Colour tags may change; they are ignored. */
export const SIZE_CHANGE =
  /filter context - w: (\d+) h: (\d+) fmt: (-?\d+) .*incoming frame - w: (?!\1 h: \2 fmt: \3 )/;

/**
 * Matches a picture that a decoder lost or completed by guessing. ffmpeg can exit with 0 after each of these, even with
 * -xerror and -err_detect explode: the FFV1 decoder and the Ogg demuxer only log a wrong checksum, and with frame
 * threads the flag on a concealed picture can come too late.
 */
const CONCEALMENT =
  /concealing \d+ DC, \d+ AC, \d+ MV errors|slice CRC mismatch|bytestream end mismatching by|\[ogg @ [^\]]*\] CRC mismatch/;

/** "[context] [level] text"; concealment is logged at level "info". */
const LINE = /^((?:\[[^\]]*\] )*?)\[(info|warning|error|fatal|panic)\] (.*)$/;

/** Collects the messages of a run: the first and the last ones, and the first of each kind that the getters return. */
export class Messages {
  readonly #errors: string[] = [];
  #sizeChange: string | undefined;
  #concealment: string | undefined;

  /** Reads a line of ffmpeg's log. */
  read(line: string): void {
    // A file's metadata could imitate the two kinds below, but ffmpeg prints it only before this line.
    if (line === "[info] Stream mapping:") {
      this.#sizeChange = undefined;
      this.#concealment = undefined;
    }
    const [, context = "", level, text = ""] = LINE.exec(line) ?? [];
    if (level === undefined) return;
    const message = context + text;
    // Only these messages report concealment, so the first one is kept regardless of how many other messages
    // follow.
    if (CONCEALMENT.test(message)) this.#concealment ??= message;
    if (level === "info") return;
    if (SIZE_CHANGE.test(message)) this.#sizeChange ??= message;
    this.#errors.push(message);
    if (this.#errors.length > 200) this.#errors.splice(100, 1);
  }

  /** The first message about a frame of another size or format. */
  get sizeChange(): string | undefined {
    return this.#sizeChange;
  }

  /** The first message about a picture that was not decoded as it was coded. */
  get concealment(): string | undefined {
    return this.#concealment;
  }

  some(pattern: RegExp): boolean {
    return this.#errors.some((line) => pattern.test(line));
  }

  /** The first message that matches. It names the cause; later ones are mostly consequences. */
  first(pattern = /./): string | undefined {
    return this.#errors.find((line) => pattern.test(line));
  }

  /** All kept messages, for the log. */
  text(): string {
    return this.#errors.join("\n");
  }
}
