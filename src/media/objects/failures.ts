/** Converts faults of objects to failures for callers. */
import { Failure, type FailureCode } from "../../platform/failure.ts";
import { ObjectFault, type ObjectTrouble } from "./object.ts";

interface Meaning {
  readonly code: FailureCode;
  readonly advice: string;
}

const LATER = "Try again later; if the error remains, ask the operator of svc or of the storage.";
const UNAVAILABLE: Meaning = { code: "STORAGE_UNAVAILABLE", advice: LATER };
const REFUSED: Meaning = {
  code: "URL_NOT_ALLOWED",
  advice: "Use an object whose URL and redirects stay within the storage, or ask the operator of svc.",
};
const CHANGED: Meaning = {
  code: "MEDIA_CHANGED",
  advice: "Submit the pair again.",
};

/** What faults mean at submission. */
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

/** What faults mean while the job waits or runs: the object existed at submission. */
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

/** Returns the failure for a fault; other errors unchanged. `detail` makes the message from the fault's reason. */
function failureOf(
  error: unknown,
  meanings: Readonly<Record<ObjectTrouble, Meaning>>,
  detail: (reason: string, isChanged: boolean) => string,
): unknown {
  if (!(error instanceof ObjectFault)) return error;
  const { code, advice } = meanings[error.trouble];
  return new Failure(code, `${detail(error.message, code === "MEDIA_CHANGED")}. ${advice}`, { cause: error });
}

/** Returns the failure for a folder that is listed; other errors unchanged. */
export function listingFailure(error: unknown, folder: string): unknown {
  return failureOf(
    error,
    LISTED,
    (reason) => `The folder ${JSON.stringify(folder)} cannot be listed: ${reason}`,
  );
}

/** What faults mean while an upload is begun, examined, completed or deleted. */
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

/** Returns the failure for an upload to a bucket; other errors unchanged. */
export function uploadFailure(error: unknown, name: string): unknown {
  return failureOf(error, UPLOADED, (reason) => `The upload of ${JSON.stringify(name)} failed: ${reason}`);
}

/**
 * Returns the failure for an object of a job; other errors unchanged. `isKnown`: whether the job has stored the
 * object's version.
 */
export function objectFailure(error: unknown, side: string, name: string, isKnown: boolean): unknown {
  return failureOf(error, isKnown ? KNOWN : FOUND, (reason, isChanged) => {
    const what = `The ${side} video ${JSON.stringify(name)} cannot be read`;
    return isChanged ? `${what} as it was: ${reason} since its job was submitted` : `${what}: ${reason}`;
  });
}

/**
 * Returns the failure for an object of a title; other errors unchanged. `title`: the manifest; `isKnown`: whether the
 * object's version was found before.
 */
export function titleFailure(error: unknown, object: string, title: string, isKnown: boolean): unknown {
  return failureOf(error, isKnown ? KNOWN : FOUND, (reason, isChanged) => {
    const since = isChanged ? " since the title was read" : "";
    return `The object ${JSON.stringify(object)} of the title ${JSON.stringify(title)} cannot be read: ${reason}${since}`;
  });
}
