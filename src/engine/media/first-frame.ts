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
  /** Encoder that the stream's tag or its bitstream names; undefined: neither does. */
  readonly encoder: string | undefined;
}

/** Libraries by the UUIDs of the SEI messages in which they state their options. */
const LIBRARIES: Readonly<Record<string, string>> = {
  "dc45e9bd-e6d9-48b7-962c-d820d923eeef": "x264",
  "2ca2de09-b517-47db-bb55-a4fe7fc2fc4e": "x265",
};
/** Names of formats that muxers write in place of an encoder: "AVC Coding", "JVT/AVC Coding", "HEVC Coding". */
const NO_ENCODER = /\bcoding$/i;

/**
 * Parses the encoder from the tags of the input's streams, and from the SEI messages of the first frame. The tags are
 * those before the last line that begins the mapping: metadata can imitate this line, and the output's tags follow it.
 */
class EncoderReader {
  readonly #tags = new Map<string, string>();
  #inputTags: ReadonlyMap<string, string> = new Map();
  /** The stream whose tags are being listed. */
  #listed: string | undefined;
  /** The stream that is decoded; undefined until it is mapped. */
  #mapped: string | undefined;
  #library: string | undefined;

  read(line: string): void {
    if (line === "[info] Stream mapping:") {
      this.#inputTags = new Map(this.#tags);
      this.#mapped = this.#library = undefined;
      return;
    }
    const stream = /^\[info\] {3,5}Stream #(0:\d+)/.exec(line)?.[1];
    if (stream !== undefined && line.includes(" -> #")) this.#mapped ??= stream;
    else if (stream !== undefined) this.#listed = stream;
    const tag = /^\[info\] {5,12}encoder *: (.*)$/i.exec(line)?.[1];
    if (tag !== undefined && this.#listed !== undefined) this.#tags.set(this.#listed, tag);
    const uuid = / UUID=([0-9a-f-]{36})/i.exec(line)?.[1];
    if (uuid !== undefined) this.#library ??= LIBRARIES[uuid.toLowerCase()];
  }

  finish(): string | undefined {
    const tag = (this.#inputTags.get(this.#mapped ?? "") ?? "").replaceAll(/\p{Cc}+/gu, " ").trim();
    if (tag === "" || NO_ENCODER.test(tag)) return this.#library;
    return /^.{1,100}/su.exec(tag)?.[0];
  }
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
  readonly #encoder = new EncoderReader();

  read(line: string): void {
    this.#encoder.read(line);
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
    const encoder = this.#encoder.finish();
    return { ...this.#frame, ...colours, rotation: this.#rotation, rate: this.#rate, encoder };
  }
}
