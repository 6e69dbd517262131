import assert from "node:assert/strict";
import { test } from "node:test";
import { Checkout } from "./checkout.ts";
import { complaintsOf, planted } from "./planted.ts";

const LAYER = "src/scoring/service.ts";

test("imports accepts a valid checkout and every downward import", async () => {
  using checkout = new Checkout();
  checkout.write(
    LAYER,
    'export { frames } from "../engine/frames.ts";\nexport type { Level } from "./level.ts";\n',
  );
  checkout.write(
    "src/scoring/level.ts",
    'import { readFile } from "node:fs/promises";\nexport type Level = typeof readFile;\n',
  );
  checkout.write(
    "src/rest/page.ts",
    "export const page = (file: string) => import.meta.resolve(`swagger-ui-dist/${file}`);\n",
  );
  checkout.write("test/acceptance/a.test.ts", 'import "../gates/b.ts";\n');
  checkout.write("test/gates/b.ts", 'export { frames } from "../../src/engine/frames.ts";\n');
  assert.deepEqual(await complaintsOf(checkout, "imports"), []);
});

const UPWARDS: readonly (readonly [string, string, string])[] = [
  ["src/engine/up.ts", 'import { service } from "../scoring/service.ts";', "engine may not import scoring"],
  [
    "src/engine/up.ts",
    'import type { Service } from "../scoring/service.ts";',
    "engine may not import scoring",
  ],
  ["src/engine/up.ts", 'export { service } from "../scoring/service.ts";', "engine may not import scoring"],
  ["src/engine/up.ts", 'export * from "../scoring/service.ts";', "engine may not import scoring"],
  ["src/engine/up.ts", 'const up = await import("../scoring/service.ts");', "engine may not import scoring"],
  ["src/engine/up.ts", "const up = await import(`../scoring/service.ts`);", "not a plain string"],
  ["src/engine/up.ts", 'type Up = import("../scoring/service.ts").Service;', "engine may not import scoring"],
  ["src/engine/up.ts", 'const up = require("../scoring/service.ts");', "engine may not import scoring"],
  [
    "src/engine/up.ts",
    'new Worker(new URL("../scoring/service.ts", import.meta.url));',
    "engine may not import scoring",
  ],
  ["src/engine/up.ts", 'import "./../../src/engine/../scoring/service.ts";', "engine may not import scoring"],
  ["src/engine/up.ts", "const up = (path: string) => import(path);", "not a plain string"],
  ["src/platform/up.ts", 'import "../engine/frames.ts";', "platform may not import engine"],
  ["src/controller/across.ts", 'import "../scoring/service.ts";', "controller may not import scoring"],
  ["src/worker/across.ts", 'import "../scoring/service.ts";', "worker may not import scoring"],
  ["src/scoring/across.ts", 'import "../controller/across.ts";', "scoring may not import controller"],
  ["src/rest/down.ts", 'import "../store/sql.ts";', "rest may not import store"],
  ["src/grpc/down.ts", 'import "../store/sql.ts";', "grpc may not import store"],
  ["src/processes/people.ts", 'import "../cli/score.ts";', "processes may not import cli"],
  ["src/main.ts", 'import "./engine/frames.ts";', "main may not import engine"],
  ["src/jobs/state.ts", 'import "../platform/level.ts";', "jobs may not import platform"],
  ["src/rates/curve.ts", 'import "../platform/level.ts";', "rates may not import platform"],
  ["src/report/page.ts", 'import { basename } from "node:path";', "report is pure"],
  ["src/rates/curve.ts", 'import { randomUUID } from "node:crypto";', "rates is pure"],
  ["src/jobs/state.ts", 'import { randomUUID } from "node:crypto";', "jobs is pure"],
  ["web/src/page.tsx", 'import "../../src/engine/frames.ts";', "the console may not import engine"],
  ["web/src/page.tsx", 'export const page = <p>{process.env["HOME"]}</p>;', "reads process.env"],
  ["src/extra/new.ts", 'import "../engine/frames.ts";', 'the layer "extra"'],
  ["src/engine/out.ts", 'import "../../test/unit/frames.test.ts";', "no code from outside src"],
  ["src/engine/out.ts", 'import "/etc/passwd.ts";', "outside the checkout"],
  ["src/engine/gone.ts", 'import "./nothing.ts";', "which is not a file"],
  ["test/acceptance/in.test.ts", 'import "../../src/engine/frames.ts";', "only from outside"],
  ["test/journeys/in.test.ts", 'import "../../src/engine/frames.ts";', "only from outside"],
];

for (const [path, code, says] of UPWARDS) {
  test(`imports refuses ${code} in ${path}`, async () => {
    using checkout = new Checkout();
    for (const target of [LAYER, "src/store/sql.ts", "src/cli/score.ts", "src/controller/across.ts"]) {
      checkout.write(target, "export const service = 1;\nexport type Service = number;\n");
    }
    checkout.write(path, `${code}\n`);
    const [complaint, ...others] = await complaintsOf(checkout, "imports");
    assert.ok(complaint?.startsWith(`${path}:1 `) && complaint.includes(says), complaint);
    assert.deepEqual(others, []);
  });
}

const ENVIRONMENT = [
  'export const home = process.env["HOME"];',
  'export const home = process["env"]["HOME"];',
  'export const home = globalThis.process.env["HOME"];',
  "export const { env } = process;",
  'import { env } from "node:process";',
];

for (const code of ENVIRONMENT)
  planted("imports", "src/engine/home.ts", `${code}\n`, /home\.ts:1 reads process\.env/);
