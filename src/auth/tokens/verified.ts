/** Caches tokens whose signature was verified. Their permissions are decided again for every request. */
import { hash, type KeyObject } from "node:crypto";
import type { Token } from "./token.ts";

/** Most characters of all cached tokens; about ten thousand tokens of usual length. */
const MAX_CHARS = 16 * 1024 * 1024;

export interface Verified {
  readonly token: Token;
  /** The key that verified it. The entry is void once the key set has another key, or none, under that name. */
  readonly key: KeyObject;
}

export class VerifiedTokens {
  /** By token digest; the least recently used entry comes first. */
  readonly #entries = new Map<string, Verified & { readonly chars: number }>();
  #chars = 0;

  /** Characters of all cached tokens. */
  get chars(): number {
    return this.#chars;
  }

  /** By token digest. */
  get(digest: string): Verified | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    return entry;
  }

  /** `chars` is the length of the token. */
  put(digest: string, chars: number, verified: Verified): void {
    this.delete(digest);
    this.#entries.set(digest, { ...verified, chars });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= MAX_CHARS) return;
      this.delete(oldest);
    }
  }

  delete(digest: string): void {
    this.#chars -= this.#entries.get(digest)?.chars ?? 0;
    this.#entries.delete(digest);
  }
}

/** SHA-256. The tokens themselves are not kept. */
export function digestOf(token: string): string {
  return hash("sha256", token, "base64");
}
