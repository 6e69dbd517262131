/** Parses the facts that ffmpeg prints about the first frame that it decodes. */
import { Failure } from "../../platform/failure.ts";
import { PRIMARIES_NAMES, TRANSFER_NAMES } from "./colour-tags.ts";
import { parseRational, type Rational } from "./rational.ts";

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly sampleAspect: Rational | undefined;
  readonly pixelFormat: string;
  readonly range: "limited" | "full" | "";
  readonly transfer: string | undefined;
  readonly primaries: string | undefined;
  readonly rotation: number;
  readonly rate: Rational | undefined;
}

const TRANSFER_TAG = new RegExp(` color_trc:(${TRANSFER_NAMES.join("|")})`);
const PRIMARIES_TAG = new RegExp(` color_primaries:(${PRIMARIES_NAMES.join("|")})`);

/**
 * Parses the facts of the first decoded frame from the lines of the showinfo filter. The file's metadata is also
 * printed and may imitate these lines, but only before the filter's own lines: the last value of each fact counts.
 */
export class PictureReader {
  format = "";
  #frame: Pick<Picture, "width" | "height" | "sampleAspect" | "pixelFormat"> | undefined;
  /** undefined until it is printed; it is printed for every frame. */
  #range: Picture["range"] | undefined;
  #transfer: string | undefined;
  #primaries: string | undefined;
  #rotation = 0;
  #rate: Rational | undefined;

  read(line: string): void {
    const opened = this.format === "" && /^\[info\] Input #0, (.*), from 'file:/.exec(line);
    if (opened) this.format = opened[1] ?? "";
    // ffmpeg prints the file's metadata, which could imitate these lines, only before this line.
    if (line === "[info] Stream mapping:") this.#forget();
    if (!line.startsWith("[Parsed_showinfo_0 @ ")) return;
    const frame = / n: *0 .* fmt:(\w+) .* sar:(\d+\/\d+) s:(\d+)x(\d+) /.exec(line);
    if (frame) {
      const [, pixelFormat = "", aspect = "", width, height] = frame;
      const size = { width: Number(width), height: Number(height) };
      this.#frame = { ...size, sampleAspect: parseRational(aspect), pixelFormat };
    }
    // The value is the last text of the filter's call to the log: the text after it on the line can come from
    // another thread.
    const range = / color_range:(pc|tv|unknown|unspecified|reserved)/.exec(line)?.[1];
    if (range) this.#range = range === "pc" ? "full" : range === "tv" ? "limited" : "";
    this.#primaries = PRIMARIES_TAG.exec(line)?.[1] ?? this.#primaries;
    this.#transfer = TRANSFER_TAG.exec(line)?.[1] ?? this.#transfer;
    // The matrix rotates counter-clockwise; players and people count clockwise.
    const turned = /displaymatrix: rotation of (-?\d+(?:\.\d+)?) degrees/.exec(line)?.[1];
    if (turned) this.#rotation = (((Math.round(-Number(turned) / 90) * 90) % 360) + 360) % 360;
    const rate = / config in time_base: \S+, frame_rate: (\d+\/\d+)/.exec(line)?.[1];
    if (rate) this.#rate = parseRational(rate);
  }

  #forget(): void {
    this.#frame = undefined;
    this.#range = undefined;
    this.#transfer = undefined;
    this.#primaries = undefined;
    this.#rotation = 0;
    this.#rate = undefined;
  }

  finish(): Picture | undefined {
    if (!this.#frame) return undefined;
    if (this.#range === undefined)
      throw new Failure("SCORER_FAILED", "ffmpeg did not report the colour range of the first frame.");
    const colours = { range: this.#range, transfer: this.#transfer, primaries: this.#primaries };
    return { ...this.#frame, ...colours, rotation: this.#rotation, rate: this.#rate };
  }
}
