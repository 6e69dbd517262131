/** The cache of verified tokens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublicKey } from "../../src/auth/keys/keys.ts";
import { parseToken } from "../../src/auth/tokens/token.ts";
import { verifiedTokens } from "../../src/auth/tokens/verified.ts";
import { newSigner, signToken } from "./tokens.ts";

const entry = { token: parseToken(signToken(newSigner("ours"))), key: {} as PublicKey["key"] };

test("keeps the most recently used tokens of at most 16 MiB", () => {
  const size = 5 * 2 ** 20;
  const cache = verifiedTokens();
  for (const name of ["a", "b", "c"]) cache.set(name, entry, { size });
  assert.ok(cache.get("a"));
  cache.set("d", entry, { size });
  assert.deepEqual([...cache.keys()], ["d", "a", "c"]);
  assert.equal(cache.calculatedSize, 3 * size);
  cache.set("e", entry, { size: 16 * 2 ** 20 });
  assert.deepEqual([...cache.keys()], ["e"]);
  cache.set("f", entry, { size: 16 * 2 ** 20 + 1 });
  assert.deepEqual([...cache.keys()], ["e"]);
});

test("counts a token only once", () => {
  const cache = verifiedTokens();
  for (let times = 0; times < 9; times++) cache.set("a", entry, { size: 200 });
  assert.equal(cache.calculatedSize, 200);
  cache.delete("a");
  cache.delete("a");
  assert.equal(cache.calculatedSize, 0);
});
