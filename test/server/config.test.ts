/** Settings from flags, variables and a file. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Command } from "commander";
import { addSettings, readSettings } from "../../src/platform/config/config.ts";
import {
  choice,
  integer,
  integerOrNone,
  list,
  text,
  toggle,
  UsageError,
} from "../../src/platform/config/setting.ts";

const SETTINGS = {
  port: integer({ flags: "--port <port>", help: "port", fallback: 80, min: 0, max: 100 }),
  mediaRoot: list({ flags: "--media-root <dir>", help: "roots" }),
  tryItOut: toggle({ flags: "--try-it-out", help: "try" }),
  format: choice({ flags: "--format <format>", help: "format", fallback: "json", of: ["json", "text"] }),
  modelDir: text({ flags: "--model-dir <dir>", help: "models" }),
} as const;

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-config-"));
});
after(() => rm(directory, { recursive: true }));

function read(args: readonly string[], environment: Record<string, string> = {}) {
  const command = addSettings(new Command("x"), SETTINGS).parse(args, { from: "user" });
  return readSettings(command, SETTINGS, environment);
}

async function fileOf(content: string): Promise<string> {
  const path = join(directory, "svc.yaml");
  await writeFile(path, content);
  return path;
}

test("uses the defaults without flags, variables and file", async () => {
  assert.deepEqual(await read([]), {
    port: 80,
    mediaRoot: [],
    tryItOut: false,
    format: "json",
    modelDir: undefined,
  });
});

test("flags take precedence over variables, and variables over the file", async () => {
  const path = await fileOf(
    "port: 1\nmedia-root: [/a, /b:c]\ntry-it-out: true\nformat: text\nmodel-dir: /m\n",
  );
  const fromFile = { port: 1, mediaRoot: ["/a", "/b:c"], tryItOut: true, format: "text", modelDir: "/m" };
  assert.deepEqual(await read(["--config", path]), fromFile);
  assert.deepEqual(await read([], { SVC_CONFIG: path }), fromFile);
  const variables = { SVC_PORT: "2", SVC_MEDIA_ROOT: "/c:/d", SVC_TRY_IT_OUT: "false", SVC_CONFIG: path };
  const fromVariables = { ...fromFile, port: 2, mediaRoot: ["/c", "/d"], tryItOut: false };
  assert.deepEqual(await read([], variables), fromVariables);
  const flags = ["--port", "3", "--media-root", "/e:f", "--media-root", "/g", "--try-it-out"];
  assert.deepEqual(await read(flags, variables), {
    ...fromVariables,
    port: 3,
    mediaRoot: ["/e:f", "/g"],
    tryItOut: true,
  });
});

test("names an invalid value and its source", async () => {
  const cases: [args: string[], environment: Record<string, string>, message: RegExp][] = [
    [["--port", "-1"], {}, /^--port: "-1" is not a whole number from 0 to 100\.$/],
    [["--port", "1e1"], {}, /^--port/],
    [["--model-dir", ""], {}, /^--model-dir: "" is empty/],
    [[], { SVC_FORMAT: "xml" }, /^SVC_FORMAT: "xml" is not one of json, text\.$/],
    [[], { SVC_TRY_IT_OUT: "yes" }, /^SVC_TRY_IT_OUT: "yes" is not true or false\.$/],
    [
      ["--config", await fileOf("port: {a: 1}")],
      {},
      /^port in .*svc\.yaml: \{"a":1\} is not a single value\.$/,
    ],
  ];
  for (const [args, environment, message] of cases) {
    await assert.rejects(
      read(args, environment),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  }
});

test("refuses a file without valid settings", async () => {
  for (const content of ["- a\n", "just words", "a: [", "port: 1\nport: 2\n", "nope: 1\n"]) {
    await assert.rejects(read(["--config", await fileOf(content)]), UsageError, content);
  }
  assert.equal((await read(["--config", await fileOf("# nothing\n")])).port, 80);
});

test("accepts a number or none", async () => {
  const most = integerOrNone({ flags: "--most <jobs>", help: "most", fallback: 7, min: 1, max: 10 });
  const any = { ...most, fallback: Number.POSITIVE_INFINITY };
  const of = async (args: readonly string[], setting = most) => {
    const command = addSettings(new Command("x"), { most: setting }).parse(args, { from: "user" });
    return (await readSettings(command, { most: setting }, {})).most;
  };
  assert.equal(await of([]), 7);
  assert.equal(await of(["--most", "10"]), 10);
  assert.equal(await of(["--most", "none"]), Number.POSITIVE_INFINITY);
  assert.equal(await of([], any), Number.POSITIVE_INFINITY);
  for (const wrong of ["0", "11", "None", "Infinity", "-1", ""])
    await assert.rejects(of([`--most=${wrong}`]), /whole number from 1 to 10, nor none/);
});
