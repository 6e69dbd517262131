/** The registry of tenants: what is accepted, what is refused, and how faults are reported. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeFaults, readRegistry, TENANTS_MOST } from "../../src/auth/tenants/registry.ts";
import { readEntry } from "../../src/auth/tenants/registry-entry.ts";

const STRICT = { allowHttp: false };
const OIDC = { issuer: "https://login.example/acme", jwksEndpoint: "https://login.example/acme/keys" };
const ACME = { tenantId: "acme", oidc: OIDC };

/** The members named in the faults of an entry. */
function faultsOf(entry: unknown, rules = STRICT): string[] {
  return (readEntry(entry, rules).faults ?? []).map(({ member }) => member);
}

function faultLines(value: unknown): string[] {
  return describeFaults(readRegistry(value, STRICT).faults ?? []);
}

describe("an entry", () => {
  test("with only the required members gets the defaults", () => {
    assert.deepEqual(readEntry(ACME, STRICT).realm, {
      ...OIDC,
      audience: undefined,
      tenantClaim: "tid",
      rolesClaim: "svc_roles",
      tenant: {
        id: "acme",
        enabled: true,
        defaultRole: undefined,
        allowedRoles: undefined,
        limits: {},
        uploadLimits: {},
        defaultModels: undefined,
        findings: undefined,
        storages: undefined,
      },
    });
  });

  test("can have all members", () => {
    const oidc = { ...OIDC, audience: "svc", tenantClaim: "org_id", rolesClaim: "https://svc.example/roles" };
    const rbac = { defaultRole: "svc:reader", allowedRoles: ["svc:reader", "svc:writer"] };
    const limits = { jobsQueued: 10, segmentsRunning: 2, submitsPerSecond: 5, weight: 3 };
    const defaultModels = ["v1", "vmaf_v0.6.1"];
    const findings = { action: "WARN", codes: { OFFSET: "REFUSE", BLACK: "IGNORE" } };
    const storages = [{ https: { hosts: ["media.example"], privateNetwork: true } }];
    const entry = {
      ...{ tenantId: "acme", enabled: false, oidc, rbac, limits, defaultModels, findings },
      storages,
    };
    assert.deepEqual(readEntry(entry, STRICT).realm, {
      ...oidc,
      tenant: {
        ...{ id: "acme", enabled: false, ...rbac, limits, uploadLimits: {}, defaultModels, findings },
        storages: [{ kind: "https", hosts: ["media.example"], privateNetwork: true }],
      },
    });
  });

  for (const id of ["__proto__", "constructor", "..", "a/b", "日本", "😀", " ", "x".repeat(256)])
    test(`can have the tenant id ${JSON.stringify(id.slice(0, 20))}`, () => {
      assert.equal(readEntry({ ...ACME, tenantId: id }, STRICT).realm?.tenant.id, id);
    });

  const IDS = ["", "x".repeat(257), "a\nb", "a\u0000", "a\u0085", "\ud800", 7, null, true, ["acme"], {}];
  for (const tenantId of IDS)
    test(`cannot have the tenant id ${JSON.stringify(tenantId).slice(0, 20)}`, () => {
      assert.deepEqual(faultsOf({ ...ACME, tenantId }), ["tenantId"]);
    });

  const URLS = [
    "",
    "login.example",
    "/acme",
    "https:login.example",
    "https:///acme",
    "ftp://login.example/acme",
    "file:///etc/passwd",
    "https://user@login.example/",
    "https://user:secret@login.example/",
    "https://@login.example/",
    "https:\\\\login.example/",
    "https://login.example/#",
    "https://login.example/#acme",
    " https://login.example/",
    "https://login.example/\n",
    "https://login.example/a b",
    "https://login.example/\u202e",
    "https://[::1/",
    `https://login.example/${"x".repeat(2048)}`,
    null,
    7,
  ];
  for (const url of URLS)
    test(`cannot have the URL ${JSON.stringify(url).slice(0, 50)}`, () => {
      assert.deepEqual(faultsOf({ ...ACME, oidc: { ...OIDC, issuer: url } }), ["oidc.issuer"]);
      assert.deepEqual(faultsOf({ ...ACME, oidc: { ...OIDC, jwksEndpoint: url } }), ["oidc.jwksEndpoint"]);
    });

  test("keeps its URLs exactly as written", () => {
    const oidc = { issuer: "HTTPS://Login.Example:443/a/../b/", jwksEndpoint: "https://Login.Example/?a=@b" };
    const { issuer, jwksEndpoint } = readEntry({ ...ACME, oidc }, STRICT).realm ?? {};
    assert.deepEqual({ issuer, jwksEndpoint }, oidc);
  });

  test("needs https for keys, unless the host is loopback or plain http is allowed", () => {
    const at = (jwksEndpoint: string) => ({ ...ACME, oidc: { ...OIDC, jwksEndpoint } });
    for (const host of ["localhost:8080", "127.0.0.1", "127.1.2.3:80", "[::1]:8080"])
      assert.deepEqual(faultsOf(at(`http://${host}/keys`)), [], host);
    for (const host of ["keys.example", "localhost.example", "127.0.0.1.example", "10.0.0.1", "[::2]"]) {
      assert.deepEqual(faultsOf(at(`http://${host}/keys`)), ["oidc.jwksEndpoint"], host);
      assert.deepEqual(faultsOf(at(`http://${host}/keys`), { allowHttp: true }), [], host);
    }
  });

  const OIDC_FAULTS: readonly [string, object, string][] = [
    ["an empty audience", { audience: "" }, "oidc.audience"],
    ["an audience of null", { audience: null }, "oidc.audience"],
    ["audiences", { audience: ["svc"] }, "oidc.audience"],
    ["an empty tenantClaim", { tenantClaim: "" }, "oidc.tenantClaim"],
    ["a rolesClaim that is a number", { rolesClaim: 1 }, "oidc.rolesClaim"],
    ["one claim for both", { tenantClaim: "tid", rolesClaim: "tid" }, "oidc.rolesClaim"],
    ["the default of the other claim", { tenantClaim: "svc_roles" }, "oidc.rolesClaim"],
    ["an unknown member", { jwksUri: "https://login.example/" }, "oidc"],
  ];
  for (const [what, over, member] of OIDC_FAULTS)
    test(`is refused with ${what}`, () => {
      assert.deepEqual(faultsOf({ ...ACME, oidc: { ...OIDC, ...over } }), [member]);
    });

  const RBAC_FAULTS: readonly [string, unknown, string][] = [
    ["an unknown role", { defaultRole: "svc:owner" }, "rbac.defaultRole"],
    ["a role in another case", { defaultRole: "svc:Reader" }, "rbac.defaultRole"],
    ["an unknown allowed role", { allowedRoles: ["svc:reader", "admin"] }, "rbac.allowedRoles"],
    ["no allowed role at all", { allowedRoles: [] }, "rbac.allowedRoles"],
    ["an allowed role twice", { allowedRoles: ["svc:reader", "svc:reader"] }, "rbac.allowedRoles"],
    ["allowed roles that are a string", { allowedRoles: "svc:reader" }, "rbac.allowedRoles"],
    [
      "a default role that is not allowed",
      { defaultRole: "svc:admin", allowedRoles: ["svc:reader"] },
      "rbac.defaultRole",
    ],
    ["rbac of null", null, "rbac"],
    ["rbac as a list", [], "rbac"],
  ];
  for (const [what, rbac, member] of RBAC_FAULTS)
    test(`is refused with ${what}`, () => assert.deepEqual(faultsOf({ ...ACME, rbac }), [member]));

  test("has the limits that it gives, and no limit where it gives none", () => {
    const of = (limits: unknown) => readEntry({ ...ACME, limits }, STRICT).realm?.tenant.limits;
    assert.deepEqual(of({}), {});
    assert.deepEqual(of({ weight: 1 }), { weight: 1 });
    const any = { jobsQueued: "none", segmentsRunning: "none", submitsPerSecond: "none" };
    assert.deepEqual(of(any), {
      jobsQueued: Number.POSITIVE_INFINITY,
      segmentsRunning: Number.POSITIVE_INFINITY,
      submitsPerSecond: Number.POSITIVE_INFINITY,
    });
  });

  test("has the limits of uploads that it gives", () => {
    const given = { uploads: 10_000, uploadSize: 1_000_000, uploadRetention: 36_500 };
    const tenant = readEntry({ ...ACME, limits: { ...given, weight: 2 } }, STRICT).realm?.tenant;
    assert.deepEqual([tenant?.limits, tenant?.uploadLimits], [{ weight: 2 }, given]);
  });

  const LIMIT_FAULTS: readonly [string, unknown, string][] = [
    ["a limit of zero", { jobsQueued: 0 }, "limits.jobsQueued"],
    ["a negative limit", { segmentsRunning: -1 }, "limits.segmentsRunning"],
    ["a fraction", { submitsPerSecond: 0.5 }, "limits.submitsPerSecond"],
    ["a number in quotes", { jobsQueued: "100" }, "limits.jobsQueued"],
    ["a limit above the maximum", { submitsPerSecond: 1_000_001 }, "limits.submitsPerSecond"],
    ["infinity", { jobsQueued: Number.POSITIVE_INFINITY }, "limits.jobsQueued"],
    ["NaN", { segmentsRunning: Number.NaN }, "limits.segmentsRunning"],
    ["a limit of null", { jobsQueued: null }, "limits.jobsQueued"],
    ["a weight of zero", { weight: 0 }, "limits.weight"],
    ["a weight of none", { weight: "none" }, "limits.weight"],
    ["no uploads", { uploads: 0 }, "limits.uploads"],
    ["unlimited uploads", { uploads: "none" }, "limits.uploads"],
    ["too large uploads", { uploadSize: 1_000_001 }, "limits.uploadSize"],
    ["a size of uploads in quotes", { uploadSize: "5" }, "limits.uploadSize"],
    ["half a day for uploads", { uploadRetention: 0.5 }, "limits.uploadRetention"],
    ["an unknown limit", { jobs: 5 }, "limits"],
    ["limits of null", null, "limits"],
  ];
  for (const [what, limits, member] of LIMIT_FAULTS)
    test(`is refused with ${what}`, () => assert.deepEqual(faultsOf({ ...ACME, limits }), [member]));

  const MODEL_FAULTS: readonly [string, unknown][] = [
    ["no default models", []],
    ["nine default models", Array.from({ length: 9 }, (_, n) => `model-${n}`)],
    ["a default model twice", ["v1", "vmaf_v0.6.1", "v1"]],
    ["a default model that is a path", ["../v1"]],
    ["an empty default model", [""]],
    ["a default model that is a number", [1]],
    ["default models that are a string", "v1"],
    ["default models of null", null],
  ];
  for (const [what, defaultModels] of MODEL_FAULTS)
    test(`is refused with ${what}`, () =>
      assert.deepEqual(faultsOf({ ...ACME, defaultModels }), ["defaultModels"]));

  const POLICY_FAULTS: readonly [string, unknown, ...string[]][] = [
    ["an action in lower case", { action: "warn" }, "findings.action"],
    ["an action of null", { action: null }, "findings.action"],
    ["an unknown code", { codes: { LATE: "WARN" } }, "findings.codes"],
    ["a code of the prototype", { codes: { constructor: "WARN" } }, "findings.codes"],
    ["unknown actions", { action: 1, codes: { OFFSET: "OFF" } }, "findings.action", "findings.codes.OFFSET"],
    ["codes that are a list", { codes: ["OFFSET"] }, "findings.codes"],
    ["an unknown member of a policy", { fix: true }, "findings"],
    ["a policy that is an action", "WARN", "findings"],
    ["a policy of null", null, "findings"],
  ];
  for (const [what, findings, ...members] of POLICY_FAULTS)
    test(`is refused with ${what}`, () => assert.deepEqual(faultsOf({ ...ACME, findings }), members));

  test("can have a policy without an action", () => {
    for (const findings of [{}, { codes: {} }])
      assert.deepEqual(readEntry({ ...ACME, findings }, STRICT).realm?.tenant.findings, {});
  });

  test("is refused as a whole, with all its faults", () => {
    const entry = { tenantId: 7, enabled: "yes", oidc: { issuer: "x", audience: "" }, rbac: {}, weight: 3 };
    const members = ["", "tenantId", "enabled", "oidc.issuer", "oidc.jwksEndpoint", "oidc.audience"];
    assert.deepEqual(faultsOf(entry), members);
    for (const value of [null, undefined, [], "acme", 7]) assert.deepEqual(faultsOf(value), [""]);
    assert.deepEqual(faultsOf({ tenantId: "acme" }), ["oidc"]);
    assert.deepEqual(faultsOf(Object.create(ACME)), ["tenantId", "oidc"], "inherited members do not count");
  });

  test("has no members that only objects inherit", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const entry: unknown = JSON.parse(`{"${name}": {}, "tenantId": "a", "oidc": ${JSON.stringify(OIDC)}}`);
      assert.deepEqual(faultsOf(entry), [""]);
    }
  });
});

describe("a registry", () => {
  test("is a list, or an object that contains the list", () => {
    assert.equal(readRegistry([ACME], STRICT).realms?.length, 1);
    assert.deepEqual(readRegistry({ tenants: [ACME] }, STRICT), readRegistry([ACME], STRICT));
    assert.deepEqual(readRegistry([], STRICT), { realms: [] });
    for (const value of [null, undefined, 7, "", {}, { tenants: {} }, { tenants: [], auth: {} }, ACME])
      assert.equal(faultLines(value).length, 1);
  });

  test("contains each tenant once", () => {
    const beta = { ...ACME, tenantId: "beta" };
    assert.deepEqual(faultLines([ACME, beta, ACME, { ...ACME, oidc: { ...OIDC, audience: "b" } }]), [
      'tenants[2] ("acme"): tenantId is already used by tenants[0]. Give each tenant one entry.',
      'tenants[3] ("acme"): tenantId is already used by tenants[0]. Give each tenant one entry.',
    ]);
    const odd = ["__proto__", "constructor", "Acme"].map((tenantId) => ({ ...ACME, tenantId }));
    assert.equal(readRegistry([ACME, ...odd], STRICT).realms?.length, 4);
  });

  test("reports each fault with its place and a remedy, and repeats no secret", () => {
    const oidc = { issuer: "https://user:hunter2@login.example/", jwksEndpoint: OIDC.jwksEndpoint };
    assert.deepEqual(faultLines([ACME, { tenantId: "a\u001b[2J", oidc }]), [
      'tenants[1] ("a\\u001b[2J"): tenantId contains control characters. Give the tenant id that its tokens contain.',
      'tenants[1] ("a\\u001b[2J"): oidc.issuer contains credentials (…@). ' +
        "Give the issuer exactly as it is in iss of the provider's tokens.",
    ]);
  });

  test("limits the number of tenants and of reported faults", () => {
    const many = Array.from({ length: TENANTS_MOST }, (_, index) => ({ ...ACME, tenantId: `t${index}` }));
    assert.equal(readRegistry(many, STRICT).realms?.length, TENANTS_MOST);
    assert.deepEqual(faultLines([...many, ACME]), [`it has more than ${TENANTS_MOST} tenants.`]);
    const lines = faultLines(many.map(() => ({})));
    assert.equal(lines.length, 101);
    assert.equal(lines.at(-1), `… and ${2 * TENANTS_MOST - 100} more`);
  });
});
