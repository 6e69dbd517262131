/** The cache of verified tokens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublicKey } from "../../src/auth/keys/keys.ts";
import { parseToken } from "../../src/auth/tokens/token.ts";
import { VerifiedTokens } from "../../src/auth/tokens/verified.ts";
import { newSigner, signToken } from "./tokens.ts";

const entry = { token: parseToken(signToken(newSigner("ours"))), key: {} as PublicKey["key"] };

test("keeps the most recently used tokens within its size", () => {
  const [all, third] = [16 * 2 ** 20, (16 * 2 ** 20 - 1) / 3];
  const cache = new VerifiedTokens();
  for (const name of ["a", "b", "c"]) cache.put(name, third, entry);
  assert.ok(cache.get("a"));
  cache.put("d", third, entry);
  assert.equal(cache.get("b"), undefined);
  assert.ok(cache.get("a"));
  assert.equal(cache.chars, 3 * third);
  cache.put("e", all - 1, entry);
  assert.equal(cache.chars, all - 1);
  cache.put("f", all + 1, entry);
  assert.equal(cache.chars, 0);
});

test("counts a token only once", () => {
  const cache = new VerifiedTokens();
  for (let times = 0; times < 9; times++) cache.put("a", 200, entry);
  assert.equal(cache.chars, 200);
  cache.delete("a");
  cache.delete("a");
  assert.equal(cache.chars, 0);
});
