/** Verdicts on all SvcTenants of a namespace together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RealmIndex } from "../../../src/auth/tenants/realm-index.ts";
import { readClaims } from "../../../src/auth/tokens/claims.ts";
import { Collection } from "../../../src/kubernetes/collection.ts";
import type { Resource } from "../../../src/kubernetes/resource.ts";
import {
  describe,
  EntryReader,
  judge,
  ValidationResults,
} from "../../../src/kubernetes/validation-results.ts";

const RULES = { allowHttp: false };
const OIDC = { issuer: "https://id.example/", jwksEndpoint: "https://id.example/keys" };

function resource(name: string, over: Partial<Resource> = {}): Resource {
  const spec = { tenantId: name, oidc: OIDC };
  const createdAt = "2026-05-17T09:30:00Z";
  return { name, uid: name, createdAt, generation: 1, deleting: false, spec, status: undefined, ...over };
}

function kinds(resources: readonly Resource[]): Record<string, string> {
  const results = judge(resources, new EntryReader(RULES));
  return Object.fromEntries(results.map((result) => [result.resource.name, result.kind]));
}

test("leaves out only the invalid resource", () => {
  const broken = resource("broken", { spec: { tenantId: "broken" } });
  const nothing = resource("nothing", { spec: undefined });
  assert.deepEqual(kinds([broken, resource("acme"), nothing]), {
    acme: "accepted",
    broken: "invalid",
    nothing: "invalid",
  });
});

test("the oldest resource of a tenant counts, in any order", () => {
  const spec = { tenantId: "acme", oidc: OIDC };
  const old = resource("zz", { spec, createdAt: "2026-05-17T09:29:59Z" });
  const [one, two] = [resource("a", { spec }), resource("b", { spec })];
  const all = [one, two, old, resource("other")];
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (order) => {
      assert.deepEqual(kinds(order), { zz: "accepted", a: "duplicate", b: "duplicate", other: "accepted" });
    }),
  );
  assert.deepEqual(kinds([two, one]), { a: "accepted", b: "duplicate" });
});

test("a rejected resource keeps its tenant id, and one being deleted does not", () => {
  const broken = resource("a", { spec: { tenantId: "acme" } });
  const later = resource("b", { spec: { tenantId: "acme", oidc: OIDC } });
  assert.deepEqual(kinds([broken, later]), { a: "invalid", b: "duplicate" });
  assert.deepEqual(kinds([{ ...broken, deleting: true }, later]), { b: "accepted" });
});

test("a later resource cannot make the tokens of an issuer name two tenants", () => {
  const evil = { tenantId: OIDC.issuer, oidc: { ...OIDC, tenantClaim: "iss" } };
  const resources = [
    resource("acme"),
    resource("evil", { spec: evil, createdAt: "2026-05-17T09:30:01Z" }),
    resource("later", { createdAt: "2026-05-17T09:30:02Z" }),
  ];
  const results = judge(resources, new EntryReader(RULES));
  assert.deepEqual(
    results.map(({ resource: { name }, kind }) => [name, kind]),
    [
      ["acme", "accepted"],
      ["evil", "invalid"],
      ["later", "accepted"],
    ],
  );
  const refused = results.find(({ kind }) => kind === "invalid");
  assert.match(
    refused?.kind === "invalid" ? describe(refused).join() : "",
    /^oidc\.tenantClaim .* the older SvcTenant acme: tokens of its issuer name the tenant in "tid"\. Use that claim\.$/,
  );
  const realms = results.flatMap((result) => (result.kind === "accepted" ? [result.realm] : []));
  const claims = readClaims(
    new Map<string, unknown>([
      ["iss", OIDC.issuer],
      ["exp", 9_000_000_000],
      ["tid", "acme"],
    ]),
  );
  assert.equal(new RealmIndex(realms).candidates(claims).length, 1);
});

test("the youngest resources beyond the maximum are left out", () => {
  const many = Array.from({ length: 10_001 }, (_, index) => resource(`t${String(index).padStart(5, "0")}`));
  const results = judge(many.toReversed(), new EntryReader(RULES));
  assert.deepEqual(
    results.filter(({ kind }) => kind !== "accepted").map(({ resource: { name }, kind }) => [name, kind]),
    [["t10000", "too-many"]],
  );
});

test("an unchanged entry is not read again, even if all are listed again", () => {
  const collection = new Collection();
  const reader = new EntryReader(RULES);
  const item = (version: string, status: object) => ({
    metadata: { name: "acme", uid: "1", resourceVersion: version, generation: 1 },
    spec: { tenantId: "acme", oidc: { ...OIDC } },
    status,
  });
  const realm = () => {
    const [result] = judge(collection.resources, reader);
    return result?.kind === "accepted" ? result.realm : assert.fail("not accepted");
  };
  collection.replace([item("1", {})]);
  const first = realm();
  collection.take(JSON.stringify({ type: "MODIFIED", object: item("2", { observedGeneration: 1 }) }));
  assert.equal(realm(), first);
  collection.replace([item("3", {})]);
  assert.equal(realm(), first);
});

test("verdicts are computed again when something they depend on changed, and not for a status", () => {
  let looks = 0;
  class CountingReader extends EntryReader {
    override read(spec: unknown) {
      looks++;
      return super.read(spec);
    }
  }
  const collection = new Collection();
  const results = new ValidationResults(collection, new CountingReader(RULES));
  const item = (name: string, over: object = {}, status?: object) => ({
    metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: "2026-05-17T09:30:00Z", ...over },
    spec: { tenantId: name, oidc: OIDC },
    status,
  });
  /** How often entries were read for a change. */
  const looksFor = (change: () => void): number => {
    looks = 0;
    change();
    results.refresh();
    return looks;
  };
  const event = (type: string, object: object) => () => collection.take(JSON.stringify({ type, object }));
  const list = (...items: object[]) => collection.replace.bind(collection, items);
  const status = { observedGeneration: 3 };
  assert.equal(looksFor(list(item("a"), item("b"), item("c"))), 3);
  assert.equal(looksFor(event("MODIFIED", item("b", { generation: 3 }, status))), 0);
  assert.deepEqual(results.list[1]?.resource.status, status);
  assert.deepEqual([results.list[1]?.resource.generation, results.list[1]?.kind], [3, "accepted"]);
  assert.equal(looksFor(list(item("c"), item("b", {}, status), item("a"))), 0);
  assert.equal(looksFor(event("MODIFIED", { ...item("b"), spec: { tenantId: "b" } })), 3);
  assert.equal(looksFor(event("MODIFIED", item("b", { uid: "another" }))), 3);
  assert.equal(looksFor(event("MODIFIED", item("b", { uid: "another", deletionTimestamp: "now" }))), 2);
  assert.equal(looksFor(event("DELETED", item("b", { uid: "another" }))), 2);
  assert.equal(looksFor(event("ADDED", item("d"))), 3);
  assert.equal(looksFor(list(item("a"), item("c"))), 2);
  assert.equal(looksFor(list(item("a"), { ...item("c"), spec: {} })), 2);
});

test("a watch is followed by its events, and ended by anything else", () => {
  const collection = new Collection();
  const event = (type: string, object: object) => JSON.stringify({ type, object });
  const acme = { metadata: { name: "acme", uid: "1", resourceVersion: "5" }, spec: {} };
  assert.equal(collection.take(event("ADDED", acme)), "5");
  assert.equal([...collection.resources].length, 1);
  assert.equal(collection.take(event("BOOKMARK", { metadata: { resourceVersion: "7" } })), "7");
  assert.equal(collection.take(event("DELETED", acme)), "5");
  assert.equal([...collection.resources].length, 0);
  const gone = event("ERROR", { kind: "Status", code: 410, message: "too old resource version" });
  assert.throws(() => collection.take(gone), { reason: "gone" });
  for (const line of ["{", "[]", "null", event("MOVED", acme), event("ADDED", {}), event("BOOKMARK", {})])
    assert.throws(() => collection.take(line), { reason: "malformed" }, line);
});
