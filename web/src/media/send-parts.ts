/** Sends a file to a bucket of the tenant: several parts at a time, each to a URL that the controller signs for it. */
import { missingParts, partRangeOf } from "../../../src/jobs/media/upload-parts.ts";
import { type Api, bodyOf, type Schemas } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";

type Upload = Schemas["Upload"];

/** Parts that are sent at the same time. */
const SENDERS = 3;
/** Milliseconds before each retry of a part. */
const RETRY_DELAYS = [0, 1_000, 2_000, 5_000, 10_000, 10_000, 10_000];
/** Key in the browser's storage for this browser's id. */
const BROWSER_KEY = "svc-uploads-from";

export interface PartSending {
  readonly api: Api;
  readonly signal: AbortSignal;
  /** Called with the number of bytes that the bucket has. */
  readonly onProgress: (bytes: number) => void;
}

/**
 * Returns the URL by which jobs name the file. An upload of the same unchanged file from this browser is continued.
 * Throws ApiError.
 */
export async function sendParts(file: File, sending: PartSending): Promise<string> {
  const { api, signal } = sending;
  const upload = await begun(file, sending);
  if (upload.path !== "") return upload.path;
  await sendMissing(file, upload, sending);
  const completed = await retried(signal, () =>
    bodyOf(api.POST("/v1/uploads/{id}:complete", { params: { path: { id: upload.id } }, signal })),
  );
  return completed.path;
}

/** Returns the upload as the bucket has it now. */
async function begun(file: File, { api, signal }: PartSending): Promise<Upload> {
  const fingerprint = [browserId(), file.name, file.size, file.lastModified].join(" ").slice(-200);
  const { uploads } = await bodyOf(api.GET("/v1/uploads", { signal }));
  const known = uploads.find((one) => one.fingerprint === fingerprint && one.partSize > 0);
  const present =
    known &&
    (await bodyOf(api.GET("/v1/uploads/{id}", { params: { path: { id: known.id } }, signal })).catch(ifGone));
  if (present !== undefined) return present;
  const metadata = `filename ${base64(file.name)},fingerprint ${base64(fingerprint)}`;
  const header = { "Upload-Length": String(file.size), "Upload-Metadata": metadata };
  return bodyOf(api.POST("/v1/uploads", { params: { query: { parts: true }, header }, signal }));
}

function ifGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== "UPLOAD_NOT_FOUND") throw error;
}

/** Distinguishes this browser's files from those of others with the same name. */
function browserId(): string {
  const known = localStorage.getItem(BROWSER_KEY);
  if (known !== null) return known;
  const id = crypto.randomUUID();
  localStorage.setItem(BROWSER_KEY, id);
  return id;
}

async function sendMissing(
  file: File,
  upload: Upload,
  { api, signal, onProgress }: PartSending,
): Promise<void> {
  const failed = new AbortController();
  const signals = AbortSignal.any([signal, failed.signal]);
  let bytes = upload.storedParts.reduce((sum, number) => sum + partRangeOf(upload, number).length, 0);
  onProgress(bytes);
  const left = missingParts(upload, upload.storedParts).values();
  const sender = async () => {
    for (const number of left) {
      const { offset, length } = partRangeOf(upload, number);
      const part = await file.slice(offset, offset + length).arrayBuffer();
      await sendPart({ id: upload.id, number, part }, api, signals);
      bytes += length;
      onProgress(bytes);
    }
  };
  const senders = Array.from({ length: SENDERS }, () =>
    sender().catch((error: unknown) => {
      failed.abort();
      throw error;
    }),
  );
  await Promise.all(senders);
}

interface Part {
  /** Id of the upload. */
  readonly id: string;
  readonly number: number;
  readonly part: ArrayBuffer;
}

async function sendPart({ id, number, part }: Part, api: Api, signal: AbortSignal): Promise<void> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", part));
  const sha256 = btoa(String.fromCharCode(...digest));
  await retried(signal, async () => {
    // A new URL for each attempt: the last one may have expired. The part may also be there already.
    const body = { parts: [{ number, sha256 }] };
    const request = { params: { path: { id } }, body, signal };
    const { upload, parts } = await bodyOf(api.POST("/v1/uploads/{id}:sign", request));
    const [signed] = parts;
    if (upload.path !== "" || upload.storedParts.includes(number) || signed === undefined) return;
    const { "content-length": _, ...headers } = signed.headers;
    const response = await fetch(signed.url, { method: "PUT", headers, body: part, signal }).catch(
      (error: unknown) => {
        if (signal.aborted) throw error;
        throw refused("does not answer, or does not allow uploads from this page");
      },
    );
    if (!response.ok) throw refused(`refused a part with status ${response.status}`);
  });
}

function refused(why: string): ApiError {
  const advice =
    "Try again; if the error remains, ask the operator to check the bucket's CORS rules and the log of svc.";
  return new ApiError(0, "UPLOAD_REFUSED", `The bucket ${why}. ${advice}`, "");
}

/** Throws the last failure. */
async function retried<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (const delay of RETRY_DELAYS) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  return attempt();
}

/** Whether another attempt may succeed; after 401, with the next token. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 401 || error.status >= 500);
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
