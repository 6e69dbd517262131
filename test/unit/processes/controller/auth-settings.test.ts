/** Authentication settings of a controller by flag, variable and file. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Command } from "commander";
import { addSettings, readSettings } from "../../../../src/platform/config/config.ts";
import { UsageError } from "../../../../src/platform/config/setting.ts";
import { planAuth } from "../../../../src/processes/controller/auth-settings.ts";
import {
  CONTROLLER_SETTINGS,
  type ControllerSettings,
  checkControllerSettings,
} from "../../../../src/processes/controller/settings.ts";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-auth-settings-"));
});
after(() => rm(directory, { recursive: true }));

function read(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<ControllerSettings> {
  const command = addSettings(new Command("controller"), CONTROLLER_SETTINGS).parse(args, { from: "user" });
  return readSettings(command, CONTROLLER_SETTINGS, environment);
}

async function plan(args: readonly string[], environment: Record<string, string> = {}) {
  return planAuth(await read(args, environment));
}

async function fileOf(content: string): Promise<string> {
  const path = join(directory, "svc.yaml");
  await writeFile(path, content);
  return path;
}

function usageError(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof UsageError && message.test(error.message);
}

type Row = readonly [
  key: keyof ControllerSettings,
  flag: string,
  variable: string,
  fallback: unknown,
  text: string,
  value: unknown,
];
const SETTINGS: readonly Row[] = [
  ["jwksEndpoint", "--jwks-endpoint", "SVC_JWKS_ENDPOINT", undefined, "https://a/keys", "https://a/keys"],
  ["authIssuer", "--auth-issuer", "SVC_AUTH_ISSUER", undefined, "https://a/", "https://a/"],
  ["authAudience", "--auth-audience", "SVC_AUTH_AUDIENCE", undefined, "svc", "svc"],
  ["authTenantClaim", "--auth-tenant-claim", "SVC_AUTH_TENANT_CLAIM", "tid", "org_id", "org_id"],
  ["authRolesClaim", "--auth-roles-claim", "SVC_AUTH_ROLES_CLAIM", "svc_roles", "groups", "groups"],
  ["authClockSkew", "--auth-clock-skew", "SVC_AUTH_CLOCK_SKEW", 30, "0", 0],
  ["tenantsFile", "--tenants-file", "SVC_TENANTS_FILE", undefined, "t.yaml", "t.yaml"],
  ["tenantsSource", "--tenants-source", "SVC_TENANTS_SOURCE", undefined, "kubernetes", "kubernetes"],
  ["tenantsNamespace", "--tenants-namespace", "SVC_TENANTS_NAMESPACE", undefined, "video", "video"],
  ["kubeconfig", "--kubeconfig", "SVC_KUBECONFIG", undefined, "k", "k"],
  ["fleetTenant", "--fleet-tenant", "SVC_FLEET_TENANT", undefined, "operators", "operators"],
];
for (const [key, flag, variable, fallback, text, value] of SETTINGS)
  test(`${flag}, ${variable}: ${String(fallback)} by default`, async () => {
    assert.equal((await read([]))[key], fallback);
    assert.equal((await read([], { [variable]: "" }))[key], fallback);
    assert.equal((await read([flag, text]))[key], value);
    assert.equal((await read([], { [variable]: text }))[key], value);
    assert.equal((await read(["--config", await fileOf(`${flag.slice(2)}: ${text}`)]))[key], value);
  });

test("--auth-allow-http, SVC_AUTH_ALLOW_HTTP: off by default", async () => {
  assert.equal((await read([])).authAllowHttp, false);
  assert.equal((await read(["--auth-allow-http"])).authAllowHttp, true);
  assert.equal((await read([], { SVC_AUTH_ALLOW_HTTP: "true" })).authAllowHttp, true);
});

for (const text of ["-1", "601", "1.5", "30s"])
  test(`--auth-clock-skew ${text} is refused`, async () => {
    await assert.rejects(
      read([`--auth-clock-skew=${text}`]),
      usageError(/--auth-clock-skew: .*from 0 to 600/),
    );
  });

describe("authentication is disabled", () => {
  test("by the flag, or by the variable with exactly true", async () => {
    assert.equal((await plan(["--auth-disabled"])).kind, "disabled");
    assert.equal((await plan([], { SVC_AUTH_DISABLED: "true" })).kind, "disabled");
  });

  for (const text of ["1", "TRUE", "True", "yes", "on", "true ", "0", "FALSE"])
    test(`not by SVC_AUTH_DISABLED=${JSON.stringify(text)}, which is refused`, async () => {
      await assert.rejects(
        read([], { SVC_AUTH_DISABLED: text }),
        usageError(/SVC_AUTH_DISABLED: .*exactly true or false/),
      );
    });

  for (const text of ["false", ""])
    test(`not by SVC_AUTH_DISABLED=${JSON.stringify(text)}`, async () => {
      const settings = await read([], { SVC_AUTH_DISABLED: text });
      assert.equal(settings.authDisabled, false);
      assert.throws(() => checkControllerSettings(settings), usageError(/authentication is not configured/));
    });

  for (const text of ["true", "false"])
    test(`not by a file: auth-disabled: ${text} is refused`, async () => {
      const path = await fileOf(`auth-disabled: ${text}`);
      await assert.rejects(read(["--config", path]), usageError(/auth-disabled in .* is not a setting/));
    });

  test("even if other settings are given, which are listed as ignored", async () => {
    const disabled = { SVC_AUTH_DISABLED: "true" };
    assert.deepEqual(await plan([], disabled), { kind: "disabled", ignored: [] });
    const flags = ["--jwks-endpoint", "https://a/keys", "--auth-issuer", "https://a"];
    assert.deepEqual(await plan(flags, { ...disabled, SVC_AUTH_AUDIENCE: "svc" }), {
      kind: "disabled",
      ignored: ["SVC_JWKS_ENDPOINT", "SVC_AUTH_ISSUER", "SVC_AUTH_AUDIENCE"],
    });
    assert.deepEqual(
      await plan(["--auth-tenant-claim", "org_id", "--auth-roles-claim", "groups"], disabled),
      {
        kind: "disabled",
        ignored: ["SVC_AUTH_TENANT_CLAIM", "SVC_AUTH_ROLES_CLAIM"],
      },
    );
    assert.deepEqual(await plan(["--tenants-file", "t"], disabled), {
      kind: "disabled",
      ignored: ["SVC_TENANTS_FILE"],
    });
    const cluster = ["--tenants-source", "kubernetes", "--tenants-namespace", "n", "--kubeconfig", "k"];
    assert.deepEqual(await plan(cluster, disabled), {
      kind: "disabled",
      ignored: ["SVC_TENANTS_SOURCE", "SVC_TENANTS_NAMESPACE", "SVC_KUBECONFIG"],
    });
  });
});

describe("a single provider", () => {
  const given = ["--auth-issuer", "https://a/", "--jwks-endpoint", "https://a/keys"];
  const realm = {
    issuer: "https://a/",
    jwksEndpoint: "https://a/keys",
    audience: undefined,
    tenantClaim: "tid",
    rolesClaim: "svc_roles",
    tenant: undefined,
  };

  test("with the default claims, and any audience", async () => {
    assert.deepEqual(await plan(given), { kind: "provider", realm });
  });

  test("with its own claims and audience", async () => {
    const environment = {
      SVC_AUTH_TENANT_CLAIM: "org_id",
      SVC_AUTH_ROLES_CLAIM: "permissions",
      SVC_AUTH_AUDIENCE: "svc",
    };
    assert.deepEqual(await plan(given, environment), {
      kind: "provider",
      realm: { ...realm, tenantClaim: "org_id", rolesClaim: "permissions", audience: "svc" },
    });
  });

  const incomplete: readonly [args: readonly string[], message: RegExp][] = [
    [[], /--jwks-endpoint \(SVC_JWKS_ENDPOINT\) and --auth-issuer \(SVC_AUTH_ISSUER\) are missing/],
    [["--auth-issuer", "https://a"], /: --jwks-endpoint \(SVC_JWKS_ENDPOINT\) is missing/],
    [["--jwks-endpoint", "https://a/keys"], /: --auth-issuer \(SVC_AUTH_ISSUER\) is missing/],
    [["--auth-audience", "svc", "--fleet-tenant", "x"], /are missing/],
  ];
  for (const [args, message] of incomplete)
    test(`refused: ${args.join(" ")}`, async () => {
      await assert.rejects(plan(args), usageError(message));
    });

  test("refused: one claim for both the tenant and the roles", async () => {
    const both = usageError(/--auth-tenant-claim and --auth-roles-claim are both "tid"/);
    await assert.rejects(plan([...given, "--auth-roles-claim", "tid"]), both);
  });

  for (const claim of ["--auth-tenant-claim", "--auth-roles-claim"])
    test(`refused: ${claim} with tenants that define their own claims`, async () => {
      for (const source of [
        ["--tenants-file", "a.yaml"],
        ["--tenants-source", "kubernetes"],
      ])
        await assert.rejects(
          plan([...source, claim, "org_id"]),
          usageError(new RegExp(`and ${claim} cannot be used together`)),
        );
    });

  test("is fetched from over plain http only on loopback, unless other hosts are allowed", async () => {
    const of = (endpoint: string) => ["--auth-issuer", "https://a", "--jwks-endpoint", endpoint];
    for (const host of ["localhost", "127.0.0.1:9", "[::1]"])
      assert.equal((await plan(of(`http://${host}/keys`))).kind, "provider");
    await assert.rejects(plan(of("http://a/keys")), usageError(/--jwks-endpoint: .*plain http/));
    assert.equal((await plan([...of("http://a/keys"), "--auth-allow-http"])).kind, "provider");
    await assert.rejects(plan([...of("ftp://a/keys"), "--auth-allow-http"]), usageError(/neither an https/));
  });
});
