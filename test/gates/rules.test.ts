/** All other gates: a valid checkout passes, and a planted violation is reported. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { GATES } from "../../scripts/gates/all.ts";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { Checkout } from "./checkout.ts";
import { complaintsOf, planted } from "./planted.ts";

test("a valid checkout passes every gate", async () => {
  using checkout = new Checkout();
  checkout.commit();
  for (const gate of GATES) assert.deepEqual(await gate.complaints(checkout.root), [], gate.name);
});

planted(
  "format",
  "src/engine/frames.ts",
  "export function frames( path:string ) { return path.length }\n",
  /frames\.ts/,
);
planted(
  "format",
  "src/processes/z.ts",
  'import "../platform/level.ts";\nimport "../engine/frames.ts"',
  /z\.ts/,
);
planted("biome", "src/engine/any.ts", "export const x: any = 1;\n", /any\.ts.*noExplicitAny/);
planted("biome", "src/engine/bang.ts", "export const x = [1][0]!;\n", /bang\.ts.*noNonNullAssertion/);
planted(
  "oxlint",
  "src/engine/float.ts",
  'import { rm } from "node:fs/promises";\n\nexport function drop(path: string): void {\n  rm(path);\n}\n',
  /no-floating-promises[\s\S]*float\.ts/,
);
planted(
  "types",
  "src/engine/wrong.ts",
  'export const x: number = "one";\n',
  /wrong\.ts\(1,14\): error TS2322/,
);
planted("types", "src/engine/kind.ts", "export enum Kind {\n  One,\n}\n", /kind\.ts\(1,13\): error TS1294/);
planted("console", "web/src/main.tsx", "document.title = 1;\n", /main\.tsx\(1,1\): error TS2322/);
planted(
  "dead-code",
  "src/engine/unused.ts",
  "export const x = 1;\n",
  /Unused files[\s\S]*src\/engine\/unused\.ts/,
);
planted(
  "dead-code",
  "src/engine/frames.ts",
  "export const frames = (path: string): number => path.length;\nexport const spare = 1;\n",
  /Unused exports[\s\S]*spare/,
);
planted(
  "dead-code",
  "package.json",
  '{ "name": "sound", "type": "module", "dependencies": { "fastify": "5.12.8" } }\n',
  /Unused dependencies[\s\S]*fastify/,
);
planted(
  "dead-code",
  "src/engine/frames.ts",
  'export { pino as frames } from "pino";\n',
  /Unlisted dependencies[\s\S]*pino/,
);

for (const path of [
  "src/engine/util.ts",
  "src/common/a.ts",
  "test/helpers/a.ts",
  "src/engine/types.d.ts",
  "scripts/misc.mjs",
  "web/src/ui/helpers.tsx",
]) {
  planted("names", path, "export const x = 1;\n", /name it after its content/);
}

const SWITCHED_OFF = [
  'test.only("x", () => {});',
  'test.skip("x", () => {});',
  'describe.skip("x", () => {});',
  'it.todo("x");',
  'test("x", { skip: true }, () => {});',
  'test("x", { "only": true }, () => {});',
  'test("x", { todo: "later" }, () => {});',
  'test("x", (t) => t.skip("later"));',
  'test("x", (t) => t.test("y", { skip: "no" }, () => {}));',
];
for (const code of SWITCHED_OFF)
  planted("hygiene", "test/unit/off.test.ts", `${code}\n`, /off\.test\.ts:1 uses "(only|skip|todo)"/);
planted(
  "hygiene",
  "src/engine/quiet.ts",
  "// @ts-ignore\nexport const x: number = 1;\n",
  /quiet\.ts:1 silences the compiler/,
);
planted(
  "hygiene",
  "src/engine/quiet.ts",
  "/* @ts-expect-error */\nexport const x = 1;\n",
  /silences the compiler/,
);
planted(
  "hygiene",
  "src/engine/quiet.ts",
  "/* oxlint-disable */\nexport const x = 1;\n",
  /silences the linter/,
);
planted(
  "hygiene",
  "src/engine/note.ts",
  "\n// TODO: the rest\nexport const x = 1;\n",
  /note\.ts:2 leaves work as a note/,
);

planted(
  "hygiene",
  "web/src/quiet.tsx",
  "/* @ts-expect-error */\nexport const quiet = <p>{1}</p>;\n",
  /web\/src\/quiet\.tsx:1 silences the compiler/,
);

test("lock refuses a package that is missing in the lock, and install-time telemetry", async () => {
  using checkout = new Checkout();
  const lock = JSON.parse(checkout.read("package-lock.json")) as { packages: Record<string, object> };
  delete lock.packages["node_modules/@biomejs/cli-win32-x64"];
  lock.packages["node_modules/@scarf/scarf"] = { version: "1.4.0" };
  checkout.write("package-lock.json", JSON.stringify(lock));
  const [missing, telemetry] = await complaintsOf(checkout, "lock");
  assert.match(
    missing ?? "",
    /^@biomejs\/cli-win32-x64, which .*biome depends on, is not in package-lock\.json/,
  );
  assert.match(telemetry ?? "", /@scarf\/scarf reports every install/);
});

const MESSAGE = "api/proto/svc/v1/extra.proto";
const proto = (body: string): string =>
  `syntax = "proto3";\n\npackage svc.v1;\n\nmessage Extra {\n${body}}\n`;

planted("proto", MESSAGE, proto("  string badName = 1;\n"), /extra\.proto:6:10:.*badName.*lower_snake_case/);

test("breaking refuses a changed type or name of a field, and accepts a new field", async () => {
  using checkout = new Checkout();
  checkout.write(MESSAGE, proto("  string name = 1;\n"));
  checkout.commit();
  checkout.write(MESSAGE, proto("  string name = 1;\n  uint32 count = 2;\n"));
  assert.deepEqual(await complaintsOf(checkout, "breaking"), []);
  checkout.write(MESSAGE, proto("  bytes name = 1;\n"));
  assert.match((await complaintsOf(checkout, "breaking")).join("\n"), /extra\.proto:6:3:.*changed type/);
  checkout.write(MESSAGE, proto("  string label = 1;\n"));
  assert.match((await complaintsOf(checkout, "breaking")).join("\n"), /extra\.proto:6:10:.*changed.*name/);
});

planted(
  "generated",
  MESSAGE,
  proto("  string name = 1;\n"),
  /src\/gen\/proto\/svc\/v1\/extra_pb\.ts is missing/,
);
planted("generated", "src/gen/proto/old_pb.ts", "export {};\n", /old_pb\.ts is not generated by anything/);

test("generated refuses files that were edited by hand", async () => {
  using checkout = new Checkout();
  const paths = [
    "deploy/chart/dashboards/service.json",
    "src/gen/proto/svc/v1/scoring_pb.ts",
    "src/gen/rest/openapi.ts",
  ];
  for (const path of paths) checkout.write(path, `${checkout.read(path)}\n`);
  const found = await complaintsOf(checkout, "generated");
  assert.deepEqual(
    found.map((complaint) => complaint.split(" differs")[0]),
    paths,
  );
});

test("generated refuses a chart README without the current text of a value", async () => {
  using checkout = new Checkout();
  const path = "deploy/chart/values.yaml";
  checkout.write(path, checkout.read(path).replace("# -- ", "# -- Anew: "));
  assert.match((await complaintsOf(checkout, "generated")).join("\n"), /^deploy\/chart\/README\.md differs/);
});

for (const [path, text, says] of [
  [
    "src/engine/a.ts",
    "/** What the file told us. */\nexport const x = 1;\n",
    /a\.ts:1 says "told"; write reports/,
  ],
  ["src/engine/a.ts", 'export const x = "It is done whatever happens.";\n', /a\.ts:1 says "whatever"/],
  [
    "src/engine/a.ts",
    "export const x = (n: number) => `${n} pieces of work`;\n",
    /a\.ts:1 says "pieces of work"; write task/,
  ],
  ["web/src/a.tsx", "export const x = <p>The tenants of now</p>;\n", /a\.tsx:1 says "of now"/],
  ["docs/a.md", "# A page\n\nThe node tells why.\n", /a\.md:3 says "tells"/],
] as const)
  planted("language", path, text, says);

for (const [subject, fault] of [
  ["No two clicks are lost", /write it as "area: imperative"/],
  [`console: ${"x".repeat(64)}`, /73 characters; at most 72/],
] as const) {
  test(`commits refuses the subject ${JSON.stringify(subject.slice(0, 30))}`, async () => {
    using checkout = new Checkout();
    checkout.commit(subject);
    assert.match((await complaintsOf(checkout, "commits")).join("\n"), fault);
  });
}

test("the check names the failed gate, prints the totals and exits with a failure", () => {
  using checkout = new Checkout();
  checkout.write("src/engine/util.ts", "export const x = 1;\n");
  const args = [join(PROJECT, "scripts", "check.ts"), "--root", checkout.root, "names", "hygiene"];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(
    stdout,
    /^FAIL names .*\n {5}src\/engine\/util\.ts is named "util".*\nok {3}hygiene .*\n1 passed, 1 failed, 0 skipped\n$/,
  );
});
