/** Keys of pairs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keysOf, pairKey } from "../../../../src/jobs/media/pair-key.ts";

test("a title is known if one of its renditions is", () => {
  const known = keysOf([
    { reference: "/r", distorted: "/title/a.mpd#160x90-50k" },
    { reference: "/r", distorted: "/plain#1.mp4" },
  ]);
  const has = (reference: string, distorted: string) => known.has(pairKey({ reference, distorted }));
  assert.ok(has("/r", "/title/a.mpd") && has("/r", "/title/a.mpd#160x90-50k") && has("/r", "/plain#1.mp4"));
  assert.ok(!has("/other", "/title/a.mpd") && !has("/r", "/title/a.mpd#320x180-90k") && !has("/r", "/plain"));
});
