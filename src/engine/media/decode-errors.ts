/** Turns a failed run of ffmpeg into a Failure. It blames the media only where ffmpeg reported a fault in them. */
import { Failure, type FailureCode } from "../../platform/failure.ts";
import { quote, type Source } from "../files/source.ts";
import type { Exit } from "../sandbox/sandbox.ts";
import { type Messages, SIZE_CHANGE } from "./messages.ts";
import { MAX_PIXELS } from "./pixels.ts";

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

/** Matches reasons why an input could not be opened that are due to the machine and not to the file. */
const NOT_THE_FILE =
  "Permission denied|Operation not permitted|Too many open files|No such file or directory|Resource temporarily unavailable|Input/output error";

/** ffmpeg's messages about a faulty file, the most specific first. */
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
    what: "is a playlist, a manifest or another kind of file that is not a single video container",
  },
  {
    // The file's name suggests the format, but nothing in its content does.
    pattern: /misdetection possible/,
    code: "MEDIA_UNSUPPORTED",
    what: "is not a video container that svc can read",
  },
  { pattern: /matches no streams/, code: "MEDIA_NO_VIDEO", what: "has no video track" },
  {
    pattern: /moov atom not found/,
    code: "MEDIA_TRUNCATED",
    what: "is not a complete MP4: its index (moov) is missing",
  },
  {
    pattern: new RegExp(`Error opening input: (?!${NOT_THE_FILE})`),
    code: "MEDIA_UNSUPPORTED",
    what: "is not a video container that svc can read",
  },
  {
    pattern: /no decoder found|Decoder .* not found|codec none|unknown codec/i,
    code: "MEDIA_UNSUPPORTED",
    what: "has a codec that the decoder does not support",
  },
  {
    pattern: /partial file|truncated|File ended prematurely/i,
    code: "MEDIA_TRUNCATED",
    what: "is truncated",
  },
];

/** ffmpeg's messages about data that violates its codec or container. */
const DAMAGE = new RegExp(
  [
    "Invalid data found when processing input",
    "corrupt (?:decoded frame|input packet)",
    "^\\[vist#.*(?:decod|packet)",
    // A message of a decoder or demuxer, by its name; not of a filter or an output.
    "^\\[(?!AVFilterGraph|Parsed_|auto_|framecrc|crc|null|rawvideo)[\\w,]+ @ ",
  ].join("|"),
);

/** Throws SCORER_FAILED for a program that was killed or never ran: neither says anything about the media. */
export function refuseBrokenRun(exit: Exit, messages: Messages): void {
  if (exit.signal !== undefined) throw killed(exit.signal, messages);
  // The exit codes of /bin/sh when a program cannot be run.
  if (exit.code !== 126 && exit.code !== 127) return;
  throw new Failure("SCORER_FAILED", "The decoder could not be run; the log has the reason.", {
    found: { exitCode: exit.code },
    cause: messages.text(),
  });
}

export function killed(signal: NodeJS.Signals, messages: Messages): Failure {
  const why =
    signal === "SIGXCPU"
      ? "exceeded its CPU time limit"
      : signal === "SIGXFSZ"
        ? "exceeded its file size limit"
        : `was killed by ${signal}`;
  return new Failure("SCORER_FAILED", `The scorer ${why}.`, { found: { signal }, cause: messages.text() });
}

/** Returns why a file could not be opened or probed. */
export function openFailure(source: Source, exit: Exit, messages: Messages): Failure {
  return failureOf(source, exit, messages, SIGNS);
}

/** Throws if a file was not decoded to its end, or not exactly as it was coded. */
export function refuseFailedDecode(source: Source, exit: Exit, messages: Messages): void {
  refuseBrokenRun(exit, messages);
  if (exit.code !== 0) throw decodeFailure(source, exit, messages);
  if (messages.concealment !== undefined) throw damaged(source, messages, messages.concealment);
}

/** Returns why a file could not be decoded to its end. It was opened before, so its container is not the cause. */
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
  return new Failure(
    "SCORER_FAILED",
    `The ${source.side} file could not be decoded, but the decoder reported no fault in it (exit code ${exit.code}); the log has its messages.`,
    { found: { exitCode: exit.code }, cause: messages.text() },
  );
}

/** Returns MEDIA_CORRUPT for a file whose frames do not decode, or not as they were coded. */
export function damaged(source: Source, messages: Messages, message = messages.first(TELLING)): Failure {
  const what = "is damaged: it does not decode without errors";
  return mediaFailure(source, "MEDIA_CORRUPT", what, message, messages);
}

/** Returns the failure of a file that is described by the first message that matches the sign's pattern. */
export function blame(source: Source, { pattern, code, what }: Sign, messages: Messages): Failure {
  return mediaFailure(source, code, what, messages.first(pattern), messages);
}

function mediaFailure(
  { side, asked }: Source,
  code: FailureCode,
  what: string,
  message: string | undefined,
  messages: Messages,
): Failure {
  const quoted =
    message === undefined
      ? ""
      : ` The decoder reported: ${quote(message.replace(/ @ 0x[0-9a-f]+/g, "").slice(0, 200))}.`;
  return new Failure(code, `The ${side} file ${quote(asked)} ${what}.${quoted}`, {
    found: { side },
    cause: messages.text(),
  });
}

/** Excludes ffmpeg's guesses about a format that it then does not use. */
const TELLING = /^(?!.*(?:misdetection|Not detecting))/;

/** Returns the failure for a missing ffmpeg. `what` begins the sentence, such as "Stills need". */
export function noDecoder(what: string): Failure {
  return new Failure("SCORER_NOT_FOUND", `${what} ffmpeg, but there is none. Install ffmpeg.`);
}
