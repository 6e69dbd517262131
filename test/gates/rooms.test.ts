/** Rooms: folders that grow too large, and imports that run in a circle, are refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Checkout } from "./checkout.ts";
import { complaintsOf } from "./planted.ts";

const imports = (target: string) => `export { x as y } from "${target}";\nexport const x = 1;\n`;

test("rooms refuses a folder with more than 20 files, of src and of the console", async () => {
  for (const folder of ["src/engine/media", "web/src/jobs"]) {
    using checkout = new Checkout();
    for (let n = 0; n < 20; n++) checkout.write(`${folder}/file-${n}.ts`, "export const x = 1;\n");
    assert.deepEqual(await complaintsOf(checkout, "rooms"), []);
    checkout.write(`${folder}/one-more.ts`, "export const x = 1;\n");
    assert.deepEqual(await complaintsOf(checkout, "rooms"), [
      `${folder} has 21 files; divide it into rooms of at most 20`,
    ]);
  }
});

test("rooms refuses imports in a circle, also through a third room and through types", async () => {
  using checkout = new Checkout();
  checkout.write("src/engine/media/a.ts", imports("../planning/b.ts"));
  checkout.write("src/engine/planning/b.ts", imports("../scoring/c.ts"));
  checkout.write("src/engine/scoring/c.ts", "export const x = 1;\n");
  checkout.write("src/engine/open.ts", imports("./scoring/c.ts"));
  assert.deepEqual(await complaintsOf(checkout, "rooms"), []);
  checkout.write(
    "src/engine/scoring/c.ts",
    'import type { x } from "../media/a.ts";\nexport type X = typeof x;\n',
  );
  assert.deepEqual(await complaintsOf(checkout, "rooms"), [
    "src/engine/media/a.ts:1 imports src/engine/planning/b.ts, but src/engine/planning imports src/engine/media too, directly or through other rooms",
    "src/engine/planning/b.ts:1 imports src/engine/scoring/c.ts, but src/engine/scoring imports src/engine/planning too, directly or through other rooms",
    "src/engine/scoring/c.ts:1 imports src/engine/media/a.ts, but src/engine/media imports src/engine/scoring too, directly or through other rooms",
  ]);
});

test("rooms takes a file in a layer's own folder for a room", async () => {
  using checkout = new Checkout();
  checkout.write("src/engine/open.ts", imports("./scoring/c.ts"));
  checkout.write("src/engine/scoring/c.ts", imports("../open.ts"));
  assert.equal((await complaintsOf(checkout, "rooms")).length, 2);
});
