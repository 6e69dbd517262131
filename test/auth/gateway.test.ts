/** How the gateway assigns tokens to issuers and tenants, and applies tenant settings. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Realm, Tenant } from "../../src/auth/tenants/realm.ts";
import type { FailureCode } from "../../src/platform/failure.ts";
import { Bench, realmAt } from "./gateways.ts";
import { KeyServer, keys } from "./key-server.ts";
import { newSigner, signToken } from "./tokens.ts";

const ours = newSigner("ours");
const theirs = newSigner("theirs");
let server: KeyServer;
let other: KeyServer;

before(async () => {
  server = await KeyServer.open(keys(ours));
  other = await KeyServer.open(keys(theirs));
});
after(async () => {
  await server.close();
  await other.close();
});

function tenant(id: string, changes: Partial<Tenant> = {}): Tenant {
  return {
    id,
    enabled: true,
    defaultRole: undefined,
    allowedRoles: undefined,
    limits: {},
    uploadLimits: {},
    defaultModels: undefined,
    findings: undefined,
    storages: undefined,
    ...changes,
  };
}

function registered(id: string, changes: Partial<Realm> = {}, of: Partial<Tenant> = {}): Realm {
  return realmAt(server.url, { tenant: tenant(id, of), ...changes });
}

/** Realms of two companies, each with its own identity provider. */
function companies(): readonly Realm[] {
  return [
    registered("acme"),
    registered("beta", {
      issuer: "https://beta.example",
      jwksEndpoint: other.url,
      tenantClaim: "org",
      audience: "b",
    }),
  ];
}

const BETA = { iss: "https://beta.example", aud: "b", org: "beta" };

describe("a token of an issuer", () => {
  test("is accepted for the tenant, claim and audience of that issuer", async () => {
    const bench = new Bench(companies());
    assert.equal((await bench.accepts(signToken(ours))).tenant, "acme");
    assert.equal((await bench.accepts(signToken(theirs, BETA))).tenant, "beta");
    await bench.refuses(signToken(theirs, { ...BETA, aud: "svc" }), "TOKEN_INVALID");
  });

  test("cannot name the tenant of another issuer", async () => {
    const bench = new Bench(companies());
    await bench.refuses(signToken(theirs, { ...BETA, org: "acme", tid: "acme" }), "TOKEN_INVALID");
    await bench.refuses(signToken(ours, { tid: "beta", org: "beta" }), "TOKEN_INVALID");
  });

  test("is not verified with the keys of another issuer", async () => {
    const bench = new Bench(companies());
    await bench.refuses(signToken(theirs), "TOKEN_KEY_UNKNOWN");
    await bench.refuses(signToken({ ...theirs, kid: "ours" }), "TOKEN_INVALID");
    await bench.refuses(signToken(ours, BETA), "TOKEN_KEY_UNKNOWN");
  });

  test("is accepted for any tenant if none is registered", async () => {
    const bench = new Bench([realmAt(server.url)]);
    for (const tid of ["acme", "beta", " acme", "ACME"])
      assert.equal((await bench.accepts(signToken(ours, { tid }))).tenant, tid);
  });

  test("is refused if it matches two registrations", async () => {
    const twice = [
      [registered("acme"), registered("acme", { audience: undefined })],
      [registered("acme"), realmAt(server.url)],
      [registered("acme"), registered("beta", { tenantClaim: "org" })],
    ];
    for (const realms of twice) {
      const detail = await new Bench(realms).refuses(signToken(ours, { org: "beta" }), "TOKEN_INVALID");
      assert.match(detail, /more than one registered tenant/);
    }
  });

  test("is refused with the same message for an unknown issuer and an unknown tenant", async () => {
    const bench = new Bench(companies());
    const details = new Set([
      await bench.refuses(signToken(ours, { iss: "https://nobody.example" }), "TOKEN_INVALID"),
      await bench.refuses(signToken(ours, { tid: "nobody" }), "TOKEN_INVALID"),
      await bench.refuses(signToken(ours, { tid: "beta" }), "TOKEN_INVALID"),
      await bench.refuses(signToken(ours, { tid: undefined }), "TOKEN_INVALID"),
    ]);
    assert.equal(details.size, 1);
  });

  test("is refused with the same message for known and unknown tenants if it is forged", async () => {
    const bench = new Bench([registered("acme"), registered("off", {}, { enabled: false })]);
    for (const forger of [{ ...theirs, kid: "ours" }, theirs]) {
      const details = new Set<string>();
      for (const tid of ["acme", "off", "nobody", undefined]) {
        const code = forger.kid === "ours" ? "TOKEN_INVALID" : "TOKEN_KEY_UNKNOWN";
        details.add(await bench.refuses(signToken(forger, { tid }), code));
      }
      assert.equal(details.size, 1);
    }
  });

  test("causes no fetch if its issuer is unknown", async () => {
    const bench = new Bench(companies());
    const fetches = server.fetches + other.fetches;
    await bench.refuses(signToken(ours, { iss: "https://nobody.example" }), "TOKEN_INVALID");
    assert.equal(server.fetches + other.fetches, fetches);
  });
});

describe("the registration of a tenant", () => {
  async function rolesWith(of: Partial<Tenant>, svc_roles: unknown): Promise<readonly string[]> {
    const bench = new Bench([registered("acme", {}, of)]);
    return (await bench.accepts(signToken(ours, { svc_roles }))).roles;
  }

  test("can disable it, which is only reported to its own tokens", async () => {
    const bench = new Bench([registered("acme", {}, { enabled: false })]);
    await bench.refuses(signToken(ours), "TENANT_DISABLED");
    await bench.refuses(signToken({ ...theirs, kid: "ours" }), "TOKEN_INVALID");
  });

  test("strips roles that are not allowed", async () => {
    const allowedRoles = ["svc:reader", "svc:writer"] as const;
    assert.deepEqual(await rolesWith({ allowedRoles }, ["svc:admin"]), []);
    assert.deepEqual(await rolesWith({ allowedRoles }, ["svc:admin", "svc:reader"]), ["svc:reader"]);
    assert.deepEqual(await rolesWith({ allowedRoles: [] }, ["svc:reader"]), []);
  });

  test("gives the default role only to tokens without roles", async () => {
    const defaultRole = "svc:reader";
    assert.deepEqual(await rolesWith({ defaultRole }, undefined), ["svc:reader"]);
    assert.deepEqual(await rolesWith({ defaultRole }, []), ["svc:reader"]);
    assert.deepEqual(await rolesWith({ defaultRole }, ["svc:writer"]), ["svc:writer"]);
    assert.deepEqual(await rolesWith({ defaultRole }, ["somebody"]), []);
    assert.deepEqual(await rolesWith({ defaultRole, allowedRoles: ["svc:writer"] }, []), []);
  });
});

describe("a change of the realms takes effect with the next request", () => {
  test("when a tenant is disabled, or its roles or audience change", async () => {
    const bench = new Bench([registered("acme")]);
    const token = signToken(ours);
    await bench.accepts(token);
    bench.realms = [registered("acme", {}, { enabled: false })];
    await bench.refuses(token, "TENANT_DISABLED");
    bench.realms = [registered("acme", {}, { allowedRoles: ["svc:reader"] })];
    assert.deepEqual((await bench.accepts(token)).roles, []);
    bench.realms = [registered("acme", { audience: "elsewhere" })];
    await bench.refuses(token, "TOKEN_INVALID");
    bench.realms = [];
    await bench.refuses(token, "TOKEN_INVALID");
    bench.realms = [registered("acme")];
    await bench.accepts(token);
  });

  test("when the endpoint changes, old keys no longer verify", async () => {
    const bench = new Bench([registered("acme")]);
    const token = signToken(ours);
    await bench.accepts(token);
    bench.realms = [registered("acme", { jwksEndpoint: other.url })];
    await bench.refuses(token, "TOKEN_KEY_UNKNOWN");
    await bench.accepts(signToken(theirs));
  });

  describe("a change takes effect while a token waits for its key:", () => {
    /** Result of `token` when the key arrives only after `change`. */
    async function changedMeanwhile(
      code: FailureCode,
      change: (bench: Bench, endpoint: string) => void,
    ): Promise<void> {
      const slow = await KeyServer.open(keys(ours));
      const { promise: release, resolve } = Promise.withResolvers<void>();
      slow.answer = (response, request) => void release.then(() => keys(ours)(response, request));
      const bench = new Bench([registered("acme", { jwksEndpoint: slow.url })]);
      const asked = slow.next();
      const refused = bench.refuses(signToken(ours), code);
      await asked;
      change(bench, slow.url);
      resolve();
      await refused;
      await slow.close();
    }

    test("its tenant is disabled", async () => {
      await changedMeanwhile("TENANT_DISABLED", (bench, jwksEndpoint) => {
        bench.realms = [registered("acme", { jwksEndpoint }, { enabled: false })];
      });
    });

    test("its tenant moves to another endpoint", async () => {
      await changedMeanwhile("TOKEN_INVALID", (bench, jwksEndpoint) => {
        bench.realms = [registered("acme"), registered("beta", { jwksEndpoint })];
      });
    });

    test("it expires", async () => {
      await changedMeanwhile("TOKEN_EXPIRED", (bench) => {
        bench.now += 300_000;
      });
    });
  });
});

describe("key sets", () => {
  test("are shared by the realms of one endpoint", async () => {
    const own = await KeyServer.open(keys(ours));
    const bench = new Bench(
      ["acme", "beta"].map((id) => realmAt(own.url, { tenant: tenant(id), issuer: `https://${id}.example` })),
    );
    await bench.accepts(signToken(ours, { iss: "https://acme.example" }));
    await bench.accepts(signToken(ours, { iss: "https://beta.example", tid: "beta" }));
    assert.equal(own.fetches, 1);
    await own.close();
  });

  test("are dropped with the last realm of their endpoint, and a fetch in progress is aborted", async () => {
    const own = await KeyServer.open(() => {});
    const bench = new Bench([registered("acme", { jwksEndpoint: own.url })]);
    const asked = own.next();
    const refused = bench.refuses(signToken(ours), "TOKEN_KEY_UNKNOWN");
    await asked;
    bench.realms = companies();
    await bench.accepts(signToken(ours));
    await refused;
    assert.equal(await bench.count("svc_auth_fetches_total", "timeout"), 0);
    await own.close();
  });

  test("stay while other realms use the same endpoint", async () => {
    const own = await KeyServer.open(keys(ours));
    const bench = new Bench([registered("acme", { jwksEndpoint: own.url })]);
    await bench.accepts(signToken(ours));
    bench.realms = [
      registered("acme", { jwksEndpoint: own.url }),
      registered("beta", { jwksEndpoint: own.url }),
    ];
    await bench.accepts(signToken(ours, { tid: "beta" }));
    assert.equal(own.fetches, 1);
    await own.close();
  });
});

describe("decisions", () => {
  test("are counted by code", async () => {
    const bench = new Bench(companies());
    await bench.accepts(signToken(ours));
    await bench.accepts(signToken(ours));
    await bench.refusesHeader(undefined, "TOKEN_MISSING");
    await bench.refuses(signToken(ours, { exp: 1 }), "TOKEN_EXPIRED");
    assert.equal(await bench.count("svc_auth_decisions_total", "OK"), 2);
    assert.equal(await bench.count("svc_auth_decisions_total", "TOKEN_MISSING"), 1);
    assert.equal(await bench.count("svc_auth_decisions_total", "TOKEN_EXPIRED"), 1);
  });
});
