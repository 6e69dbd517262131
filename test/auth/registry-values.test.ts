/** Random registries of tenants: each is either read, or refused with faults that name its entries. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ROLES } from "../../src/auth/principal.ts";
import { describeFaults, readRegistry } from "../../src/auth/tenants/registry.ts";

const OIDC = { issuer: "https://login.example/acme", jwksEndpoint: "https://login.example/acme/keys" };

/** Values similar to a registry: its members with valid, odd and missing values. */
const near = (() => {
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom("", null, "a", "__proto__", undefined));
  const text = fc.oneof({ weight: 3, arbitrary: fc.string() }, odd);
  const url = fc.oneof({ weight: 3, arbitrary: fc.webUrl() }, odd);
  const role = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ROLES) }, odd);
  const some = { requiredKeys: [] };
  const oidc = fc.record(
    { issuer: url, jwksEndpoint: url, audience: text, tenantClaim: text, rolesClaim: text, __proto__: odd },
    some,
  );
  const rbac = fc.record({ defaultRole: role, allowedRoles: fc.oneof(fc.array(role), odd) }, some);
  const limit = fc.oneof({ weight: 3, arbitrary: fc.integer() }, fc.constant("none"), fc.double(), odd);
  const limits = fc.record(
    { jobsQueued: limit, segmentsRunning: limit, submitsPerSecond: limit, weight: limit },
    some,
  );
  const entry = fc.record(
    {
      tenantId: text,
      enabled: fc.oneof(fc.boolean(), odd),
      oidc: fc.oneof({ weight: 5, arbitrary: oidc }, odd),
      rbac: fc.oneof({ weight: 5, arbitrary: rbac }, odd),
      limits: fc.oneof({ weight: 5, arbitrary: limits }, odd),
      extra: odd,
    },
    some,
  );
  const list = fc.array(fc.oneof({ weight: 5, arbitrary: entry }, odd), { maxLength: 5 });
  return fc.oneof(list, fc.record({ tenants: list }), fc.anything(), fc.jsonValue());
})();

describe("any parsed value", () => {
  test("is a registry of distinct, valid tenants, or is refused with faults that name them", () => {
    fc.assert(
      fc.property(near, fc.boolean(), (value, allowHttp) => {
        const { realms, faults } = readRegistry(value, { allowHttp });
        if (realms === undefined) {
          assert.ok(faults.length > 0);
          for (const line of describeFaults(faults)) assert.match(line, /^(it |tenants\[\d+\]|… and )/u);
          return;
        }
        assert.equal(new Set(realms.map(({ tenant }) => tenant.id)).size, realms.length);
        for (const { issuer, jwksEndpoint, tenantClaim, rolesClaim, tenant } of realms) {
          assert.ok([issuer, jwksEndpoint].every((url) => URL.canParse(url)));
          assert.ok(tenant.id.length > 0 && tenant.id.isWellFormed() && tenantClaim !== rolesClaim);
          assert.ok(
            tenant.allowedRoles?.includes(tenant.defaultRole ?? tenant.allowedRoles[0] ?? "svc:admin") ??
              true,
          );
          for (const most of Object.values(tenant.limits)) assert.ok(most >= 1, String(most));
          assert.ok(Number.isFinite(tenant.limits.weight ?? 1));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test("is accepted if it is valid", () => {
    const name = fc.string({ minLength: 1, maxLength: 50, unit: "grapheme" });
    const id = name.filter((text) => !/\p{Cc}/u.test(text));
    const entry = fc.record({ tenantId: id, oidc: fc.constant(OIDC) });
    const list = fc.uniqueArray(entry, { selector: ({ tenantId }) => tenantId });
    fc.assert(
      fc.property(list, (entries) => {
        const ids = readRegistry({ tenants: entries }, { allowHttp: false }).realms?.map(
          ({ tenant }) => tenant.id,
        );
        assert.deepEqual(
          ids,
          entries.map(({ tenantId }) => tenantId),
        );
      }),
    );
  });
});
