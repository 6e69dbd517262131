/** Tokens whose signature was verified. What they permit is decided anew on every request. */
import { hash, type KeyObject } from "node:crypto";
import type { Token } from "./token.ts";

/** Characters of tokens that are kept: some ten thousand tokens of usual length. */
const MOST_CHARS = 16 * 1024 * 1024;

export interface Verified {
  readonly token: Token;
  /** What verified it. Once its key set has another key, or none, of that name, this says nothing any more. */
  readonly key: KeyObject;
}

export class VerifiedTokens {
  /** By the token's digest; the one that was used longest ago stands first. */
  readonly #entries = new Map<string, Verified & { readonly chars: number }>();
  readonly #mostChars: number;
  #chars = 0;

  constructor(mostChars: number = MOST_CHARS) {
    this.#mostChars = mostChars;
  }

  /** Characters of the tokens that are kept. */
  get chars(): number {
    return this.#chars;
  }

  /** By a token's digest. */
  get(digest: string): Verified | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    return entry;
  }

  /** `chars`: length of the token. */
  put(digest: string, chars: number, verified: Verified): void {
    this.delete(digest);
    this.#entries.set(digest, { ...verified, chars });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= this.#mostChars) return;
      this.delete(oldest);
    }
  }

  delete(digest: string): void {
    this.#chars -= this.#entries.get(digest)?.chars ?? 0;
    this.#entries.delete(digest);
  }
}

/** SHA-256: the tokens themselves are not kept. */
export function digestOf(token: string): string {
  return hash("sha256", token, "base64");
}
