/** The source of a controller's tenants by its settings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../../../src/platform/config/setting.ts";
import {
  planSource,
  type SourceSettings,
} from "../../../src/processes/controller/tenants-source-settings.ts";

const NONE: SourceSettings = {
  tenantsSource: undefined,
  tenantsFile: undefined,
  tenantsNamespace: undefined,
  kubeconfig: undefined,
};

function plan(over: Partial<SourceSettings>, providerFlags: readonly string[] = []) {
  return planSource({ ...NONE, ...over }, providerFlags);
}

test("is the given source, or follows from the other flags", () => {
  assert.deepEqual(plan({}), { kind: "provider" });
  assert.deepEqual(plan({ tenantsSource: "provider" }, ["--auth-issuer"]), { kind: "provider" });
  assert.deepEqual(plan({ tenantsFile: "a" }), { kind: "file", file: "a" });
  assert.deepEqual(plan({ tenantsFile: "a", tenantsSource: "file" }), { kind: "file", file: "a" });
  const cluster = { kind: "kubernetes", namespace: undefined, kubeconfig: undefined };
  assert.deepEqual(plan({ tenantsSource: "kubernetes" }), cluster);
  const named = { tenantsNamespace: "svc-system", kubeconfig: "k" };
  assert.deepEqual(plan({ tenantsSource: "kubernetes", ...named }), {
    kind: "kubernetes",
    namespace: "svc-system",
    kubeconfig: "k",
  });
});

const CONTRADICTIONS: readonly [Partial<SourceSettings>, readonly string[], RegExp][] = [
  [{ tenantsSource: "file" }, [], /--tenants-source file needs --tenants-file/],
  [{ tenantsSource: "provider", tenantsFile: "a" }, [], /--tenants-source provider and --tenants-file/],
  [{ tenantsSource: "kubernetes", tenantsFile: "a" }, [], /--tenants-source kubernetes and --tenants-file/],
  [{ tenantsSource: "kubernetes" }, ["--jwks-endpoint"], /--tenants-source kubernetes and --jwks-endpoint/],
  [
    { tenantsFile: "a" },
    ["--auth-issuer", "--auth-audience"],
    /--tenants-file and --auth-issuer, --auth-audience/,
  ],
  [{ tenantsFile: "a", kubeconfig: "k" }, [], /--tenants-file and --kubeconfig/],
  [{ tenantsNamespace: "n" }, [], /--tenants-namespace is only for --tenants-source kubernetes/],
  [{ tenantsSource: "kubernetes", tenantsNamespace: "a/b" }, [], /"a\/b" is not a valid namespace/],
  [{ tenantsSource: "kubernetes", tenantsNamespace: "A" }, [], /"A" is not a valid namespace/],
];
for (const [settings, flags, message] of CONTRADICTIONS)
  test(`refused: ${JSON.stringify(settings)} ${flags.join(" ")}`, () => {
    assert.throws(
      () => plan(settings, flags),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
