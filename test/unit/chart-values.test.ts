/** The chart's values, their schema and the settings of the processes agree. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { describedValues } from "../../scripts/chart-readme.ts";
import { PROJECT } from "../../scripts/gates/gate.ts";
import type { Setting, Settings } from "../../src/platform/config/setting.ts";
import { CONTROLLER_SETTINGS } from "../../src/processes/controller/settings.ts";
import { NODE_SETTINGS } from "../../src/processes/node/settings.ts";
import { SERVER_SETTINGS } from "../../src/processes/server/settings.ts";

const CHART = join(PROJECT, "deploy", "chart");
const read = (path: string) => readFileSync(join(CHART, path), "utf8");
const values: Record<string, unknown> = parse(read("values.yaml"));
const schema: Schema = JSON.parse(read("values.schema.json"));

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

function resolved(part: Schema): Schema {
  if (part.$ref === undefined) return part;
  const found = schema.$defs?.[part.$ref.replace("#/$defs/", "")];
  assert.ok(found, part.$ref);
  return resolved(found);
}

/** Returns the schema at a path of the values. */
function schemaAt(path: readonly string[]): Schema {
  return path.reduce((part, name) => {
    const next = resolved(part).properties?.[name];
    assert.ok(next, `values.schema.json does not describe ${path.join(".")}`);
    return resolved(next);
  }, schema);
}

const variableOf = ({ flags }: Pick<Setting<unknown>, "flags">): string =>
  `SVC_${/^--([a-z-]+)/.exec(flags)?.[1]?.replaceAll("-", "_").toUpperCase()}`;

const SETTINGS = { controller: CONTROLLER_SETTINGS, node: NODE_SETTINGS, server: SERVER_SETTINGS };

/** Settings without a value: they are the same in every container, or part of the pod template. */
const GIVEN = new Set([
  ...["SVC_PORT", "SVC_GRPC_PORT", "SVC_METRICS_PORT", "SVC_PRINT_ADDRESSES", "SVC_DATA_DIR", "SVC_CONFIG"],
  ...["SVC_TENANTS_NAMESPACE", "SVC_KUBECONFIG"],
  // By extraEnv, with a volume of the cluster.
  ...["SVC_STORAGES_FILE", "SVC_UPLOADS"],
]);

test("every value has a description and a schema", () => {
  const described = describedValues(read("values.yaml"));
  assert.ok(described.length > 100);
  for (const { path } of described) schemaAt(path);
});

test("the schema has only values that are in values.yaml", () => {
  const missing = (part: Schema, found: unknown, path: string): string[] => {
    // An empty map may have any of its members: none has a default.
    if (typeof found !== "object" || found === null || Object.keys(found).length === 0) return [];
    return Object.entries(resolved(part).properties ?? {}).flatMap(([name, next]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return name in found ? missing(next, Reflect.get(found, name), at) : [at];
    });
  };
  const left = missing(schema, values, "");
  assert.deepEqual(
    left.filter((path) => !/^global$|\.(claims|strategy\.type)$/.test(path)),
    [],
  );
});

test("objects in the schema refuse unknown members", () => {
  const open = (part: Schema, path: string): string[] => {
    const own = part.properties !== undefined && part.additionalProperties !== false ? [path] : [];
    return [
      ...own,
      ...Object.entries(part.properties ?? {}).flatMap(([name, next]) => open(next, `${path}.${name}`)),
    ];
  };
  const parts = Object.entries(schema.$defs ?? {}).flatMap(([name, part]) => open(part, name));
  assert.deepEqual([...open(schema, "values"), ...parts], []);
});

test("every variable in the templates is a setting of a process, and every setting has a value or is given", () => {
  const text = globSync("templates/**/*.{yaml,tpl}", { cwd: CHART }).map(read).join("\n");
  const used = new Set(text.match(/\bSVC_[A-Z_]+\b/g));
  const known = new Set(Object.values(SETTINGS).flatMap((of: Settings) => Object.values(of).map(variableOf)));
  // SVC_PORT is named in a comment.
  assert.deepEqual(
    [...used].filter((name) => !known.has(name)),
    [],
  );
  assert.deepEqual(
    [...known].filter((name) => !used.has(name) && !GIVEN.has(name)),
    [],
  );
});

const RANGES: readonly (readonly [path: string, of: keyof typeof SETTINGS, setting: string])[] = [
  ...["lease", "segmentSeconds", "retention", "scoreTimeout", "requestTimeout", "drainTimeout"].map(
    (name) => [`controller.${name}`, "controller", name] as const,
  ),
  ["controller.worstStills", "controller", "worstStills"],
  ["controller.uploads.tenantFiles", "controller", "tenantUploads"],
  ["controller.uploads.tenantSize", "controller", "tenantUploadSize"],
  ["controller.uploads.retention", "controller", "uploadRetention"],
  ["controller.audit.retention", "controller", "auditRetention"],
  ["controller.limits.weight", "controller", "tenantWeight"],
  ["auth.clockSkew", "controller", "authClockSkew"],
  ...["slots", "threads", "scoreTimeout", "drainTimeout"].map(
    (name) => [`nodes.defaults.${name}`, "node", name] as const,
  ),
  ["nodes.defaults.mediaCache.size", "node", "mediaCacheSize"],
  ...["concurrency", "threads", "scoreTimeout", "requestTimeout", "drainTimeout"].map(
    (name) => [`server.${name}`, "server", name] as const,
  ),
];

for (const [path, of, name] of RANGES) {
  test(`${path} has the range of the setting of ${of}`, () => {
    const { minimum = Number.NaN, maximum = Number.NaN } = schemaAt(path.split("."));
    const setting = Object.entries<Setting<unknown>>(SETTINGS[of]).find(([key]) => key === name)?.[1];
    assert.ok(setting, name);
    for (const good of [minimum, maximum]) setting.parse(String(good));
    for (const bad of [minimum - 1, maximum + 1]) assert.throws(() => setting.parse(String(bad)), `${bad}`);
  });
}

test("the chart has the version of the package", () => {
  const about = parse(read("Chart.yaml"));
  const { version } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  assert.equal(about.appVersion, version);
});
