/** The options that say how the two files are read. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseRational } from "../../../engine/media/rational.ts";
import { MAX_SIDE_PIXELS } from "../../../jobs/request-limits.ts";
import { offering, optional } from "../../flags/optional.ts";

/** Parsed options. */
export interface FileFlags {
  readonly size?: Size;
  readonly pixelFormat?: string;
  readonly frameRate?: string;
  readonly editLists: "apply" | "ignore";
}

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export const DEFAULT_PIXEL_FORMAT = "yuv420p";
/** The most common formats of raw files, for completion. */
const RAW_FORMATS = ["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le"];

export function addFileOptions<C extends Command>(command: C): C {
  for (const option of fileOptions()) command.addOption(option);
  return command;
}

export function fileOptions(): Option[] {
  return [
    optional(
      "--size <WxH>",
      "frame size of raw .yuv files in pixels",
      "taken from a name such as clip_576x324.yuv",
    ).argParser(parseSize),
    offering(
      optional(
        "--pixel-format <format>",
        "pixel format of raw .yuv files, with --size",
        DEFAULT_PIXEL_FORMAT,
      ),
      RAW_FORMATS,
    ),
    optional(
      "--frame-rate <fps>",
      "frames per second of raw .yuv files, such as 25 or 30000/1001, with --size",
      "unknown",
    ).argParser(parseRate),
    choice("--edit-lists <policy>", "MP4 edit lists that hide frames: apply or ignore them", [
      "apply",
      "ignore",
    ]),
  ];
}

/** Returns the options as words of a command line, without those that have their default. */
export function fileWords({ size, pixelFormat, frameRate, editLists }: FileFlags): readonly string[] {
  return [
    ...(size ? ["--size", `${size.width}x${size.height}`] : []),
    ...(pixelFormat === undefined ? [] : ["--pixel-format", pixelFormat]),
    ...(frameRate === undefined ? [] : ["--frame-rate", frameRate]),
    ...(editLists === "ignore" ? ["--edit-lists", editLists] : []),
  ];
}

/** The first word is the default. Upper case, as in the REST API, is accepted too. */
export function choice(flags: string, help: string, words: readonly [string, string]): Option {
  const option = new Option(flags, help).default(words[0]).argParser((value: string) => {
    const word = words.find((known) => known === value.toLowerCase());
    if (word === undefined) throw new InvalidArgumentError(`Use ${words.join(" or ")}.`);
    return word;
  });
  return offering(option, words);
}

function parseRate(value: string): string {
  if (parseRational(value)) return value;
  throw new InvalidArgumentError("Use frames per second, for example 25, 29.97 or 30000/1001.");
}

export function parseSize(value: string): Size {
  const match = /^(\d{1,5})[x:×](\d{1,5})$/i.exec(value);
  const [width, height] = [Number(match?.[1]), Number(match?.[2])];
  if (!isSide(width) || !isSide(height)) {
    throw new InvalidArgumentError(
      `Use width x height in pixels up to ${MAX_SIDE_PIXELS}, for example 1920x1080.`,
    );
  }
  return { width, height };
}

function isSide(pixels: number): boolean {
  return pixels >= 1 && pixels <= MAX_SIDE_PIXELS;
}
