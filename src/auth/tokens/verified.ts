/** Caches tokens whose signature was verified. Their permissions are decided again for every request. */
import { hash, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Token } from "./token.ts";

/** Limit of the characters of all cached tokens; about ten thousand tokens of usual length. */
const MAX_CHARS = 16 * 1024 * 1024;

export interface Verified {
  readonly token: Token;
  /**
   * The key that verified it. The entry is invalid once the key set has another key, or none, under that
   * name.
   */
  readonly key: KeyObject;
}

/** By token digest. The size of an entry is the length of its token. */
export function verifiedTokens(): LRUCache<string, Verified> {
  return new LRUCache({ maxSize: MAX_CHARS });
}

/** SHA-256. The tokens themselves are not kept. */
export function digestOf(token: string): string {
  return hash("sha256", token, "base64");
}
