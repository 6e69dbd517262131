/** Parses the list of a part of a bucket, the response of S3's ListObjectsV2. */
import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../platform/json.ts";
import { ObjectFault } from "./object.ts";
import { otherStatus } from "./response.ts";
import { elementsOf, rootOf, textOf, unusable } from "./xml.ts";

/** Limit of a response in bytes: 500 keys of 1,024 bytes, each byte as %XX, with their facts. */
export const MAX_LIST_BYTES = 4 * 1024 * 1024;

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** In milliseconds since 1970; undefined: unknown. */
  readonly modifiedMs: number | undefined;
}

export interface ObjectList {
  readonly objects: readonly ListedObject[];
  /** Folders: beginnings of further keys, up to the next slash. */
  readonly prefixes: readonly string[];
  /** The token of the next page; undefined: this is the last one. */
  readonly next: string | undefined;
}

/** Throws ObjectFault unless the status is that of a list. */
export function refuseStatus(status: number, headers: IncomingHttpHeaders): void {
  if (status === 200) return;
  if (status === 404) throw new ObjectFault("MISSING", "its bucket does not exist");
  if (status === 401 || status === 403)
    throw new ObjectFault("DENIED", `its storage refuses to list it (status ${status})`);
  // For example a page token of another list.
  if (status === 400)
    throw new ObjectFault("UNSUITABLE", "its storage cannot list it like this (status 400)");
  throw otherStatus(status, headers);
}

/** Returns a body as text. Throws ObjectFault if it is longer than `mostBytes`. */
export async function shortText(body: AsyncIterable<Buffer>, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new ObjectFault("UNAVAILABLE", "its storage sends too long a response");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Throws ObjectFault. */
export async function parseObjectList(xml: string): Promise<ObjectList> {
  const list = await rootOf(xml, "ListBucketResult");
  const decode = list["EncodingType"] === "url" ? decoded : (text: string) => text;
  const isCut = list["IsTruncated"] === "true";
  const token = textOf(list["NextContinuationToken"]);
  if (isCut && token === "") throw unusable();
  return {
    objects: elementsOf(list["Contents"]).map((one) => objectIn(one, decode)),
    prefixes: elementsOf(list["CommonPrefixes"]).map((one) => decode(textOf(one["Prefix"]))),
    next: isCut ? token : undefined,
  };
}

function objectIn(one: JsonObject, decode: (text: string) => string): ListedObject {
  const size = Number(textOf(one["Size"]) || Number.NaN);
  if (!Number.isSafeInteger(size) || size < 0) throw unusable();
  const modifiedMs = Date.parse(textOf(one["LastModified"]));
  return {
    key: decode(textOf(one["Key"])),
    size,
    modifiedMs: modifiedMs >= 0 ? modifiedMs : undefined,
  };
}

/** Decodes a key as forms do: "+" is a space. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    // The key is not valid UTF-8, so no job can name it. Returns a text that is never the end of a usable
    // name.
    return "/";
  }
}
