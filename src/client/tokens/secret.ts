/** Reads credential files anew each time, because their issuer may replace them. */
import { open } from "node:fs/promises";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";

/** Size limit: no token or secret is longer. A longer file was given by mistake, or is endless. */
const MAX_BYTES = 64 * 1024;

/**
 * Returns the text of the file that an option names, at most 64 KiB. File permissions are not checked: orchestrators
 * mount secrets readable by all users of a container. Throws INVALID_REQUEST, which names the option and quotes nothing
 * of the file.
 */
export async function readCredential(path: string, option: string): Promise<string> {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  try {
    await using file = await open(path, "r");
    for (let more = -1; more !== 0 && length <= MAX_BYTES; length += more) {
      more = (await file.read(bytes, length, bytes.length - length, null)).bytesRead;
    }
  } catch (cause) {
    throw new Failure(
      "INVALID_REQUEST",
      `${option}: ${JSON.stringify(path)} cannot be read: ${systemReason(cause)}.`,
      { cause },
    );
  }
  if (length <= MAX_BYTES) return bytes.toString("utf8", 0, length);
  throw new Failure(
    "INVALID_REQUEST",
    `${option}: ${JSON.stringify(path)} is larger than ${MAX_BYTES} bytes.`,
  );
}

/** Returns the client secret in a file, without the line end that editors add. Throws INVALID_REQUEST. */
export async function readSecret(path: string): Promise<string> {
  const option = "--oidc-client-secret-file";
  const secret = (await readCredential(path, option)).replace(/\r?\n$/, "");
  if (secret !== "" && !/\p{Cc}/u.test(secret)) return secret;
  const what = secret === "" ? "is empty" : "contains control characters, or several lines";
  throw new Failure(
    "INVALID_REQUEST",
    `${option}: ${JSON.stringify(path)} ${what}. The file must contain only the secret.`,
  );
}
