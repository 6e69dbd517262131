/** Who is to blame for a run of ffmpeg that failed: the media only where ffmpeg named their fault. */
import { Failure, type FailureCode } from "../platform/failure.ts";
import { type Messages, SIZE_CHANGE } from "./messages.ts";
import { MAX_PIXELS } from "./pixels.ts";
import type { Exit } from "./sandbox.ts";
import { quote, type Source } from "./source.ts";

export interface Sign {
  readonly pattern: RegExp;
  readonly code: FailureCode;
  readonly what: string;
}

export const SIZE_CHANGES: Sign = {
  pattern: SIZE_CHANGE,
  code: "FRAME_SIZE_CHANGES",
  what: "changes its frame size or pixel format in the middle",
};

/** An input that could not be opened for a reason that is the machine's and not the file's. */
const NOT_THE_FILE =
  "Permission denied|Operation not permitted|Too many open files|No such file or directory|Resource temporarily unavailable|Input/output error";

/** ffmpeg's words for what is wrong with a file, the most telling first. */
const SIGNS: readonly Sign[] = [
  SIZE_CHANGES,
  {
    pattern: /exceeds specified max pixel count|Picture size .* is invalid/,
    code: "MEDIA_TOO_LARGE",
    what: `has frames of more than ${MAX_PIXELS} pixels (8192x4320)`,
  },
  {
    pattern: /Cannot allocate memory/,
    code: "MEDIA_TOO_LARGE",
    what: "needs more memory than a score may use",
  },
  {
    pattern: /not on whitelist/,
    code: "MEDIA_UNSUPPORTED",
    what: "is a play list, a manifest or another kind of file that is not a single video container",
  },
  {
    // Only its name speaks for the format, nothing inside does.
    pattern: /misdetection possible/,
    code: "MEDIA_UNSUPPORTED",
    what: "is not a video container that svc can read",
  },
  { pattern: /matches no streams/, code: "MEDIA_NO_VIDEO", what: "has no video track" },
  {
    pattern: /moov atom not found/,
    code: "MEDIA_TRUNCATED",
    what: "is no complete MP4: its index (moov) is missing",
  },
  {
    pattern: new RegExp(`Error opening input: (?!${NOT_THE_FILE})`),
    code: "MEDIA_UNSUPPORTED",
    what: "is not a video container that svc can read",
  },
  {
    pattern: /no decoder found|Decoder .* not found|codec none|unknown codec/i,
    code: "MEDIA_UNSUPPORTED",
    what: "has a codec that the decoder does not know",
  },
  {
    pattern: /partial file|truncated|File ended prematurely/i,
    code: "MEDIA_TRUNCATED",
    what: "is cut off",
  },
];

/** ffmpeg's words for data that is not what its codec or container says it should be. */
const DAMAGE = new RegExp(
  [
    "Invalid data found when processing input",
    "corrupt (?:decoded frame|input packet)",
    "^\\[vist#.*(?:decod|packet)",
    // A complaint of a decoder or demuxer, by its name; not of a filter or an output.
    "^\\[(?!AVFilterGraph|Parsed_|auto_|framecrc|crc|null|rawvideo)[\\w,]+ @ ",
  ].join("|"),
);

/** A program that was killed, or never ran, says nothing about the media. */
export function refuseBrokenRun(exit: Exit, messages: Messages): void {
  if (exit.signal !== undefined) throw killed(exit.signal, messages);
  // What /bin/sh ends with when a program cannot be run.
  if (exit.code !== 126 && exit.code !== 127) return;
  throw new Failure("SCORER_FAILED", "The decoder could not be run; the log has the reason.", {
    found: { exitCode: exit.code },
    cause: messages.text(),
  });
}

export function killed(signal: NodeJS.Signals, messages: Messages): Failure {
  const why =
    signal === "SIGXCPU"
      ? "used up its CPU time"
      : signal === "SIGXFSZ"
        ? "wrote too much"
        : `was ended by ${signal}`;
  return new Failure("SCORER_FAILED", `The scorer ${why}.`, { found: { signal }, cause: messages.text() });
}

/** Why a file could not be opened or probed. */
export function openFailure(source: Source, exit: Exit, messages: Messages): Failure {
  return failureOf(source, exit, messages, SIGNS);
}

/** Throws when a file was not decoded to its end, or not as it was coded. */
export function refuseFailedDecode(source: Source, exit: Exit, messages: Messages): void {
  refuseBrokenRun(exit, messages);
  if (exit.code !== 0) throw decodeFailure(source, exit, messages);
  if (messages.concealment !== undefined) throw damaged(source, messages, messages.concealment);
}

/** Why a file could not be decoded to its end: it was opened before, so its container is no cause. */
export function decodeFailure(source: Source, exit: Exit, messages: Messages): Failure {
  return failureOf(
    source,
    exit,
    messages,
    SIGNS.filter(({ code }) => code !== "MEDIA_UNSUPPORTED"),
  );
}

function failureOf(source: Source, exit: Exit, messages: Messages, signs: readonly Sign[]): Failure {
  const sign = signs.find(({ pattern }) => messages.some(pattern));
  if (sign !== undefined) return blame(source, sign, messages);
  if (messages.some(DAMAGE)) return damaged(source, messages);
  const ended = exit.code === 0 ? "without an error" : `with exit code ${exit.code}`;
  return new Failure(
    "SCORER_FAILED",
    `The decoder ended ${ended} and named no fault of the ${source.side} file; the log has what it said.`,
    { found: { exitCode: exit.code }, cause: messages.text() },
  );
}

/** A file whose pictures do not decode, or not as they were coded. */
export function damaged(source: Source, messages: Messages, said = messages.first(TELLING)): Failure {
  const what = "is damaged: it does not decode without errors";
  return mediaFailure(source, "MEDIA_CORRUPT", what, said, messages);
}

/** Fails a file for what a message says of it. */
export function blame(source: Source, { pattern, code, what }: Sign, messages: Messages): Failure {
  return mediaFailure(source, code, what, messages.first(pattern), messages);
}

function mediaFailure(
  { side, asked }: Source,
  code: FailureCode,
  what: string,
  said: string | undefined,
  messages: Messages,
): Failure {
  const quoted =
    said === undefined
      ? ""
      : ` The decoder says: ${quote(said.replace(/ @ 0x[0-9a-f]+/g, "").slice(0, 200))}.`;
  return new Failure(code, `The ${side} file ${quote(asked)} ${what}.${quoted}`, {
    found: { side },
    cause: messages.text(),
  });
}

/** Not ffmpeg's guesses about a format that it then does not use. */
const TELLING = /^(?!.*(?:misdetection|Not detecting))/;
