/** Event ids: the same at every controller, decodable, and opaque to callers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventIds } from "../../../../src/store/events/ids.ts";

const SECRET = Buffer.alloc(48, 7);
const places = fc.record({
  pos: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
  id: fc.nat(Number.MAX_SAFE_INTEGER),
});

test("decodes an id at every controller of the installation, and of no other one", () => {
  const [one, other] = [new EventIds("epoch", SECRET), new EventIds("epoch", Buffer.from(SECRET))];
  const strangers = [new EventIds("another", SECRET), new EventIds("epoch", Buffer.alloc(48, 8))];
  fc.assert(
    fc.property(places, (place) => {
      const id = one.idOf(place);
      assert.match(id, /^[A-Za-z0-9_-]{32}$/);
      assert.equal(other.idOf(place), id);
      assert.deepEqual(other.placeOf(id), { ...place });
      for (const stranger of strangers) assert.equal(stranger.placeOf(id), undefined);
    }),
  );
  fc.assert(
    fc.property(fc.array(places), (many) => {
      assert.deepEqual(
        one.idsOf(many),
        many.map((place) => other.idOf(place)),
      );
    }),
  );
});

test("refuses forged and modified ids", () => {
  const ids = new EventIds("epoch", SECRET);
  fc.assert(
    fc.property(places, fc.nat(191), (place, bit) => {
      const bytes = Buffer.from(ids.idOf(place), "base64url");
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(ids.placeOf(bytes.toString("base64url")), undefined);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), (bytes) => {
      assert.equal(ids.placeOf(Buffer.from(bytes).toString("base64url")), undefined);
    }),
  );
});

test("ids of adjacent positions are unrelated: they reveal neither distance nor order", () => {
  const ids = new EventIds("epoch", SECRET);
  const bytes = Array.from({ length: 1_000 }, (_, id) =>
    Buffer.from(ids.idOf({ pos: "1000", id }), "base64url"),
  );
  assert.equal(new Set(bytes.map((one) => one.subarray(0, 16).toString("hex"))).size, 1_000);
  // Half of the bits of neighbours differ, as for random texts.
  const differing = bytes.slice(1).map((one, n) => bitsOf(one, bytes[n] ?? one));
  const mean = differing.reduce((sum, count) => sum + count, 0) / differing.length;
  assert.ok(Math.abs(mean - 96) < 2, `${mean} of 192 bits differ`);
});

function bitsOf(one: Buffer, other: Buffer): number {
  let count = 0;
  for (const [at, byte] of one.entries()) {
    for (let left = byte ^ (other[at] ?? 0); left > 0; left &= left - 1) count++;
  }
  return count;
}
