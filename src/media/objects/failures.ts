/** Faults of objects as failures for callers. */
import { Failure, type FailureCode } from "../../platform/failure.ts";
import { ObjectFault, type ObjectTrouble } from "./object.ts";

interface Meaning {
  readonly code: FailureCode;
  readonly advice: string;
}

const LATER = "Try again later; if it stays so, ask the operator of svc or of the storage.";
const UNAVAILABLE: Meaning = { code: "STORAGE_UNAVAILABLE", advice: LATER };
const REFUSED: Meaning = {
  code: "URL_NOT_ALLOWED",
  advice: "Use an object whose URL and redirects stay within the storage, or ask the operator of svc.",
};
const CHANGED: Meaning = {
  code: "MEDIA_CHANGED",
  advice: "Submit the pair again.",
};

/** At submission. */
const FOUND: Readonly<Record<ObjectTrouble, Meaning>> = {
  MISSING: { code: "MEDIA_NOT_FOUND", advice: "Check its name." },
  DENIED: {
    code: "MEDIA_NOT_READABLE",
    advice: "Allow svc to read it; some storages say this of objects that do not exist.",
  },
  EMPTY: { code: "MEDIA_NO_FRAMES", advice: "Upload it again." },
  UNSUITABLE: {
    code: "MEDIA_NOT_READABLE",
    advice: "Serve it with ranges, without compression, and with an ETag or Last-Modified.",
  },
  CHANGED,
  REFUSED,
  UNAVAILABLE,
};

/** While its job waits or runs: it was there before. */
const KNOWN: Readonly<Record<ObjectTrouble, Meaning>> = {
  MISSING: CHANGED,
  CHANGED,
  EMPTY: CHANGED,
  DENIED: UNAVAILABLE,
  UNSUITABLE: UNAVAILABLE,
  REFUSED,
  UNAVAILABLE,
};

const LISTED: Readonly<Record<ObjectTrouble, Meaning>> = {
  ...FOUND,
  MISSING: { code: "MEDIA_NOT_FOUND", advice: "Ask the operator of svc to correct the storage." },
  DENIED: {
    code: "MEDIA_NOT_READABLE",
    advice: "Name its objects in jobs, or ask the operator to allow s3:ListBucket.",
  },
  UNSUITABLE: { code: "MEDIA_NOT_READABLE", advice: "Start again without pageToken." },
};

/** For a folder that is listed. Other errors are returned as they are. */
export function listingFailure(error: unknown, folder: string): unknown {
  if (!(error instanceof ObjectFault)) return error;
  const { code, advice } = LISTED[error.trouble];
  const detail = `The folder ${JSON.stringify(folder)} cannot be listed: ${error.message}. ${advice}`;
  return new Failure(code, detail, { cause: error });
}

/** While an upload is begun, looked at, completed or deleted. */
const UPLOADED: Readonly<Record<ObjectTrouble, Meaning>> = {
  ...KNOWN,
  MISSING: UNAVAILABLE,
  CHANGED: UNAVAILABLE,
  EMPTY: UNAVAILABLE,
  DENIED: {
    code: "STORAGE_UNAVAILABLE",
    advice: "Ask the operator of svc to allow what uploads need, as docs/uploads.md lists it.",
  },
};

/** For an upload to a bucket. Other errors are returned as they are. */
export function uploadFailure(error: unknown, name: string): unknown {
  if (!(error instanceof ObjectFault)) return error;
  const { code, advice } = UPLOADED[error.trouble];
  const detail = `The upload of ${JSON.stringify(name)} failed: ${error.message}. ${advice}`;
  return new Failure(code, detail, { cause: error });
}

/** `isKnown`: its job has stored its version. Other errors are returned as they are. */
export function objectFailure(error: unknown, side: string, name: string, isKnown: boolean): unknown {
  if (!(error instanceof ObjectFault)) return error;
  const { code, advice } = (isKnown ? KNOWN : FOUND)[error.trouble];
  const since = code === "MEDIA_CHANGED" ? " since its job was submitted" : "";
  return new Failure(
    code,
    `The ${side} video ${JSON.stringify(name)} cannot be read${since === "" ? "" : " as it was"}: ${error.message}${since}. ${advice}`,
    { cause: error },
  );
}

/**
 * For an object of a title. `title`: the manifest; `isKnown`: its version was found before. Other errors are returned as they
 * are.
 */
export function titleFailure(error: unknown, object: string, title: string, isKnown: boolean): unknown {
  if (!(error instanceof ObjectFault)) return error;
  const { code, advice } = (isKnown ? KNOWN : FOUND)[error.trouble];
  const since = code === "MEDIA_CHANGED" ? " since the title was read" : "";
  const detail = `The object ${JSON.stringify(object)} of the title ${JSON.stringify(title)} cannot be read: ${error.message}${since}. ${advice}`;
  return new Failure(code, detail, { cause: error });
}
