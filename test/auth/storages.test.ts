/** Storages of tenants: the example of docs/media.md is valid, and every mistake is reported with its member. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readPlainYaml } from "../../src/auth/tenants/plain-yaml.ts";
import { readEntry } from "../../src/auth/tenants/registry-entry.ts";
import { readResultsFile, readStoragesFile } from "../../src/auth/tenants/storages-entry.ts";

const PAGE = readFileSync(new URL("../../docs/media.md", import.meta.url), "utf8");
const [, EXAMPLE = ""] = /^```yaml\n(.*?)^```$/ms.exec(PAGE) ?? [];

test("the example of the page is valid", () => {
  const { value } = readPlainYaml(Buffer.from(EXAMPLE));
  assert.deepEqual(readStoragesFile(value).storages, [
    {
      kind: "s3",
      endpoint: undefined,
      region: "eu-central-1",
      buckets: [
        { bucket: "acme-masters", prefix: "" },
        { bucket: "acme-encodes", prefix: "2026/" },
      ],
      uploads: { bucket: "acme-encodes", prefix: "2026/uploads/" },
      credentials: { file: "/etc/svc/acme-credentials", profile: "svc" },
      privateNetwork: false,
    },
    {
      kind: "s3",
      endpoint: "http://s3.storage.internal:9000",
      region: "us-east-1",
      buckets: [{ bucket: "videos", prefix: "" }],
      credentials: undefined,
      privateNetwork: true,
    },
    { kind: "https", hosts: ["media.acme.example", "cdn.acme.example:8443"], privateNetwork: false },
  ]);
});

const S3 = { region: "eu-central-1", buckets: ["videos"] };

for (const [storage, member] of [
  [{}, "storages[0].s3"],
  [{ s3: S3, https: { hosts: ["a.example"] } }, "storages[0].s3"],
  [{ ftp: {} }, "storages[0]"],
  ["s3://videos", "storages[0]"],
  [{ s3: { ...S3, region: undefined } }, "storages[0].s3.region"],
  [{ s3: { ...S3, region: "EU west" } }, "storages[0].s3.region"],
  [{ s3: { ...S3, buckets: [] } }, "storages[0].s3.buckets"],
  [{ s3: { ...S3, buckets: ["Videos"] } }, "storages[0].s3.buckets[0]"],
  [{ s3: { ...S3, buckets: ["a..b"] } }, "storages[0].s3.buckets[0]"],
  [{ s3: { ...S3, buckets: ["videos", "videos"] } }, "storages[0].s3.buckets[1]"],
  [{ s3: { ...S3, buckets: ["s3://videos"] } }, "storages[0].s3.buckets[0]"],
  [{ s3: { ...S3, uploads: "" } }, "storages[0].s3.uploads"],
  [{ s3: { ...S3, uploads: "s3://videos/" } }, "storages[0].s3.uploads"],
  [{ s3: { ...S3, uploads: "videos/in" } }, "storages[0].s3.uploads"],
  [{ s3: { ...S3, uploads: "videos/../" } }, "storages[0].s3.uploads"],
  [{ s3: { ...S3, uploads: `videos/${"x".repeat(600)}/` } }, "storages[0].s3.uploads"],
  [{ s3: { ...S3, uploads: 'videos/"/' } }, "storages[0].s3.uploads"],
  [{ s3: { ...S3, uploads: "other/" } }, "storages[0].s3.uploads"],
  [{ s3: { ...S3, buckets: ["videos/in/"], uploads: "videos/" } }, "storages[0].s3.uploads"],
  [{ s3: { ...S3, endpoint: "ftp://s3.example" } }, "storages[0].s3.endpoint"],
  [{ s3: { ...S3, endpoint: "http://s3.example" } }, "storages[0].s3.endpoint"],
  [{ s3: { ...S3, endpoint: "https://s3.example/videos" } }, "storages[0].s3.endpoint"],
  [{ s3: { ...S3, endpoint: "https://user:secret@s3.example" } }, "storages[0].s3.endpoint"],
  [{ s3: { ...S3, credentials: {} } }, "storages[0].s3.credentials.file"],
  [{ s3: { ...S3, credentials: { file: "relative" } } }, "storages[0].s3.credentials.file"],
  [{ s3: { ...S3, credentials: { file: "/a", secret: "x" } } }, "storages[0].s3.credentials"],
  [{ s3: { ...S3, buckets: ["videos/a\nb"] } }, "storages[0].s3.buckets[0]"],
  [{ s3: { ...S3, credentials: { secretName: "acme" } } }, "storages[0].s3.credentials.secretName"],
  [{ s3: { ...S3, privateNetwork: "yes" } }, "storages[0].s3.privateNetwork"],
  [{ https: {} }, "storages[0].https.hosts"],
  [{ https: { hosts: ["https://a.example"] } }, "storages[0].https.hosts[0]"],
  [{ https: { hosts: ["A.example"] } }, "storages[0].https.hosts[0]"],
  [{ https: { hosts: ["a.example:443"] } }, "storages[0].https.hosts[0]"],
  [{ https: { hosts: ["user@a.example"] } }, "storages[0].https.hosts[0]"],
  [{ https: { hosts: ["a.example/path"] } }, "storages[0].https.hosts[0]"],
  [{ https: { hosts: ["0177.0.0.1"] } }, "storages[0].https.hosts[0]"],
] as const)
  test(`refuses ${JSON.stringify(storage)}`, () => {
    const { faults = [] } = readStoragesFile({ storages: [storage] });
    assert.equal(faults[0]?.member, member, JSON.stringify(faults));
    assert.doesNotMatch(JSON.stringify(faults), /secret@/);
  });

test("uploads go to one storage, which is also the one that they are read from", () => {
  const s3 = { ...S3, uploads: "videos/in/" };
  const read = (...storages: object[]) =>
    readStoragesFile({ storages: storages.map((one) => ({ s3: one })) }).faults?.map(({ member }) => member);
  assert.equal(read(s3, S3), undefined);
  assert.equal(read({ ...S3, buckets: ["videos/other/", "videos-2"] }, s3), undefined);
  assert.deepEqual(read(S3, s3), ["storages[1].s3.uploads"]);
  assert.deepEqual(read({ ...S3, buckets: ["videos/in/"] }, s3), ["storages[1].s3.uploads"]);
  const other = { ...S3, buckets: ["other"], uploads: "other/" };
  assert.deepEqual(read(s3, other), ["storages[1].s3.uploads"]);
});

test("an empty list, and one that is missing, are refused", () => {
  for (const file of [{}, { storages: [] }, { storages: {} }, [], null])
    assert.ok((readStoragesFile(file).faults ?? []).length > 0, JSON.stringify(file));
});

const TENANT = {
  tenantId: "acme",
  oidc: { issuer: "https://id.example", jwksEndpoint: "https://id.example/keys" },
};

function inCluster(credentials: object) {
  const entry = { ...TENANT, storages: [{ s3: { ...S3, credentials } }] };
  return readEntry(entry, { allowHttp: false, secrets: true });
}

test("in a cluster, credentials can be in a Secret, which belongs to the entry's tenant", () => {
  const [storage] = inCluster({ secretName: "acme-storage.v2" }).realm?.tenant.storages ?? [];
  assert.deepEqual(storage?.kind === "s3" && storage.credentials, {
    secretName: "acme-storage.v2",
    tenant: "acme",
  });
});

for (const [credentials, member] of [
  [{ secretName: "Acme" }, "secretName"],
  [{ secretName: "a/../b" }, "secretName"],
  [{ secretName: "x".repeat(254) }, "secretName"],
  [{ secretName: "a", file: "/a" }, "file"],
  [{ secretName: "a", profile: "p" }, "profile"],
  [{ secretName: "a", namespace: "other" }, ""],
] as const)
  test(`in a cluster, refuses the credentials ${JSON.stringify(credentials).slice(0, 60)}`, () => {
    const path = `storages[0].s3.credentials${member === "" ? "" : `.${member}`}`;
    assert.equal(inCluster(credentials).faults?.[0]?.member, path);
  });

const STORE_PAGE = readFileSync(new URL("../../docs/store.md", import.meta.url), "utf8");
const [, RESULTS_EXAMPLE = ""] = /^```yaml\n(.*?)^```$/ms.exec(STORE_PAGE) ?? [];

test("the example of a results storage is valid", () => {
  const { value } = readPlainYaml(Buffer.from(RESULTS_EXAMPLE));
  const place = { bucket: "svc-results", prefix: "production/" };
  const credentials = { file: "/etc/svc/results-credentials", profile: "svc" };
  const service = { endpoint: undefined, region: "eu-central-1", credentials, privateNetwork: false };
  assert.deepEqual(readResultsFile(value), {
    results: {
      place: { storage: { kind: "s3", ...service, buckets: [place] }, ...place },
      scoresAfterMs: 14 * 86_400_000,
    },
  });
});

const RESULTS = { region: "eu-central-1", bucket: "svc-results/production/" };
for (const [value, member] of [
  ["s3://bucket", ""],
  [{}, "s3"],
  [{ s3: RESULTS, https: {} }, ""],
  [{ s3: "svc-results" }, "s3"],
  [{ s3: RESULTS, scoresAfterDays: "7d" }, "scoresAfterDays"],
  [{ s3: RESULTS, scoresAfterDays: -1 }, "scoresAfterDays"],
  [{ s3: RESULTS, scoresAfterDays: 0.5 }, "scoresAfterDays"],
  [{ s3: { ...RESULTS, scoresAfterDays: 7 } }, "s3"],
  [{ s3: { ...RESULTS, bucket: undefined } }, "s3.bucket"],
  [{ s3: { ...RESULTS, bucket: "svc-results/production" } }, "s3.bucket"],
  [{ s3: { ...RESULTS, bucket: "svc-results/../" } }, "s3.bucket"],
  [{ s3: { ...RESULTS, bucket: "svc-results/a b/" } }, "s3.bucket"],
  [{ s3: { ...RESULTS, bucket: ["svc-results"] } }, "s3.bucket"],
  [{ s3: { ...RESULTS, buckets: ["svc-results"] } }, "s3"],
  [{ s3: { ...RESULTS, uploads: "svc-results" } }, "s3"],
  [{ s3: { ...RESULTS, region: "EU" } }, "s3.region"],
  [{ s3: { ...RESULTS, endpoint: "http://minio:9000" } }, "s3.endpoint"],
  [{ s3: { ...RESULTS, credentials: { secretName: "a" } } }, "s3.credentials.secretName"],
] as const)
  test(`refuses the results storage ${JSON.stringify(value)}`, () => {
    assert.deepEqual(
      readResultsFile(value).faults?.map((fault) => fault.member),
      [member],
    );
  });
