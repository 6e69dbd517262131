/** The registries in docs/tenants.md are valid, and its faults are the ones reported. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readPlainYaml } from "../../src/auth/tenants/plain-yaml.ts";
import { describeFaults, readRegistry } from "../../src/auth/tenants/registry.ts";
import type { TenantRealm } from "../../src/auth/tenants/registry-entry.ts";

const PAGE = readFileSync(new URL("../../docs/tenants.md", import.meta.url), "utf8");
/** Without that of a SvcTenant. */
const EXAMPLES = [...PAGE.matchAll(/^```yaml\n(?!spec:)(.*?)^```$/gms)].map(([, text = ""]) => text);

function read(text: string): readonly TenantRealm[] {
  const { value, faults } = readPlainYaml(Buffer.from(text));
  assert.equal(faults, undefined);
  const { realms, faults: refused } = readRegistry(value, { allowHttp: false });
  assert.deepEqual(describeFaults(refused ?? []), []);
  return realms ?? [];
}

test("every example is a valid registry", () => {
  assert.equal(EXAMPLES.length, 4);
  const [whole = "", ...providers] = EXAMPLES;
  assert.deepEqual(
    read(whole).map(({ tenant }) => tenant.id),
    ["acme", "org_Xq2bT9"],
  );
  const entries = providers.flatMap((text) => read(text));
  assert.deepEqual(
    entries.map(({ tenantClaim, rolesClaim }) => [tenantClaim, rolesClaim]),
    [
      ["tid", "svc_roles"],
      ["org_id", "permissions"],
      ["aud", "groups"],
    ],
  );
});

test("faults are worded as on the page", () => {
  const { value } = readPlainYaml(Buffer.from(EXAMPLES[0] ?? ""));
  const list = structuredClone((value as { tenants: { oidc: { jwksEndpoint?: string } }[] }).tenants);
  delete list[1]?.oidc.jwksEndpoint;
  const { faults = [] } = readRegistry([...list, list[0]], { allowHttp: false });
  assert.ok(PAGE.includes(`\n\`\`\`\n${describeFaults(faults).join("\n")}\n\`\`\`\n`));
});
