/** Tokens whose signature was verified. What they permit is decided anew on every request. */
import { hash } from "node:crypto";
import type { CryptoKey } from "jose";
import type { Token } from "./token.ts";

/** Characters of tokens that are kept: some ten thousand tokens of usual length. */
const MOST_CHARS = 16 * 1024 * 1024;

export interface Verified {
  readonly token: Token;
  /** What verified it. Once its key set has another key, or none, of that name, this says nothing any more. */
  readonly key: CryptoKey;
}

export class VerifiedTokens {
  /** By SHA-256 of the token; the one that was used longest ago stands first. */
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

  get(text: string): Verified | undefined {
    const digest = digestOf(text);
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    return entry;
  }

  put(text: string, verified: Verified): void {
    this.delete(text);
    this.#entries.set(digestOf(text), { ...verified, chars: text.length });
    this.#chars += text.length;
    for (const [digest, { chars }] of this.#entries) {
      if (this.#chars <= this.#mostChars) return;
      this.#entries.delete(digest);
      this.#chars -= chars;
    }
  }

  delete(text: string): void {
    const digest = digestOf(text);
    this.#chars -= this.#entries.get(digest)?.chars ?? 0;
    this.#entries.delete(digest);
  }
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64");
}
