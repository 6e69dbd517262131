/** Valid and invalid entries of tenants, for the two that validate them: the API server and the controller. */
import { FINDING_CODES } from "../../src/jobs/findings-policy.ts";

export interface Entry {
  readonly what: string;
  readonly spec: unknown;
  readonly good: boolean;
  /** The API server's result differs, and why. */
  readonly exception?: string;
}

const OIDC = { issuer: "https://login.example/acme", jwksEndpoint: "https://login.example/acme/keys" };
export const ACME = { tenantId: "acme", oidc: OIDC };

const ASCII = "stricter: a URL must be ASCII (RFC 3986)";
const NOTATION = "stricter: an address must be in its usual notation";
const MENDED = "more lenient: invalid JSON text is repaired before validation";
const UNITS = "more lenient: counts characters, the controller UTF-16 units; 128 fit either way";
const ESCAPES = "stricter: % must precede two hexadecimal digits (RFC 3986)";
const PRUNED = "more lenient: null counts as absent";

function tenant(what: string, over: object, good: boolean, exception?: string): Entry {
  const entry = { what, spec: { ...ACME, ...over }, good };
  return exception === undefined ? entry : { ...entry, exception };
}

function oidc(what: string, over: object, good: boolean, exception?: string): Entry {
  return tenant(what, { oidc: { ...OIDC, ...over } }, good, exception);
}

/** As an issuer, and as the key set endpoint. */
function url(url: string, good: boolean, exception?: string): Entry[] {
  const shown = JSON.stringify(url.length > 60 ? `${url.slice(0, 60)}…` : url);
  return [
    oidc(`issuer ${shown}`, { issuer: url }, good, exception),
    oidc(`jwksEndpoint ${shown}`, { jwksEndpoint: url }, good, exception),
  ];
}

function keysAt(url: string, good: boolean, exception?: string): Entry {
  return oidc(`keys at ${url}`, { jwksEndpoint: url }, good, exception);
}

const IDS: readonly Entry[] = [
  ...["__proto__", "constructor", "..", "a/b", "日本", "😀", " ", "x".repeat(256), "org_Xq2bT9"].map(
    (tenantId) => tenant(`tenantId ${JSON.stringify(tenantId.slice(0, 20))}`, { tenantId }, true),
  ),
  ...["", "x".repeat(257), "a\nb", "a\u0000", "a\u0085", "a\n", 7, true, ["acme"], {}, null].map((tenantId) =>
    tenant(`tenantId ${JSON.stringify(tenantId).slice(0, 20)}`, { tenantId }, false),
  ),
  { what: "no tenantId", spec: { oidc: OIDC }, good: false },
  { what: "no provider", spec: { tenantId: "acme" }, good: false },
  { what: "nothing", spec: {}, good: false },
  { what: "a string", spec: "acme", good: false },
  { what: "a list", spec: [ACME], good: false },
  tenant("half a character", { tenantId: "\ud800" }, false, MENDED),
  tenant("200 characters outside the basic plane", { tenantId: "😀".repeat(200) }, false, UNITS),
  tenant("128 characters outside the basic plane", { tenantId: "😀".repeat(128) }, true),
];

const URLS: readonly Entry[] = [
  ...["HTTPS://Login.Example:443/a/../b/", "https://login.example", "https://login.example?a=@b"],
  ...[
    "https://login.example/?a=@b",
    "https://192.0.2.1/",
    "https://192.0.2.1:8443",
    "https://[2001:db8::1]:8443/",
  ],
  ...["https://[::]", "https://[1:2:3:4:5:6:7:8]/a", "https://a_b.example/", "https://a..b/", "https://-/"],
  ...["https://a:", "https://a:65535/", "https://a.b./", "https://xn--bcher-kva.example/"],
  // Valid punycode is not required, because nobody decodes it.
  ...["https://xn--a/keys", "https://XN--A.example/", "https://xn--/", "https://xn--99999999.example/"],
  ...['https://a/"{}|`<>^~', "https://a//b", "https://1a.example/", `https://a/${"x".repeat(2038)}`],
  "https://a/%41",
].flatMap((text) => url(text, true));

const NO_URLS: readonly Entry[] = [
  ...[
    "",
    "login.example",
    "/acme",
    "https:login.example",
    "https:///acme",
    "https://",
    "https://?a",
    "https://:443/",
  ],
  ...[
    "ftp://login.example/acme",
    "file:///etc/passwd",
    "https://user@login.example/",
    "https://@login.example/",
  ],
  ...["https://user:secret@login.example/", "https:\\\\login.example/", "https://login.example\\@other/"],
  ...[
    "https://login.example/#",
    "https://login.example/#acme",
    " https://login.example/",
    "https://login.example/ ",
  ],
  ...[
    "https://login.example/\n",
    "https://login.example/a b",
    "https://login.example/\u202e",
    "https://a/\u00a0",
  ],
  ...[
    "https://[::1/",
    "https://[1::2::3]/",
    "https://[1:2:3:4:5:6:7:8:9]/",
    "https://[12345::]/",
    "https://[x]/",
  ],
  ...["https://[1::2:3:4:5:6:7:8]/", "https://a:65536/", "https://a:x/", "https://a b/", "https://a%20b/"],
  ...[
    "https://256.1.1.1/",
    "https://1.2.3.4.5/",
    "https://a.1/",
    "https://a.0x/",
    "https://a.09",
    "https://08.1.1.1/",
  ],
  ...["https://a.1./", "https://a<b/", "https://a|b/", "https://a^b/", `https://a/${"x".repeat(2039)}`],
].flatMap((text) => url(text, false));

const URL_EXCEPTIONS: readonly Entry[] = [
  ...url("https://bücher.example/", true, ASCII),
  ...url("https://login.example/é", true, ASCII),
  ...url("https://a!b/", true, ASCII),
  ...url("https://127.1/", true, NOTATION),
  ...url("https://a:00080/", true, NOTATION),
  ...url("https://1.2.3.4./", true, NOTATION),
  ...url("https://[::ffff:192.0.2.1]/", true, NOTATION),
  ...url("https://a/%zz", true, ESCAPES),
];

const ENDPOINTS: readonly Entry[] = [
  ...["localhost", "LocalHost:8080", "127.0.0.1", "127.1.2.3:80", "[::1]:8080"].map((host) =>
    keysAt(`http://${host}/keys`, true),
  ),
  ...[
    "keys.example",
    "localhost.example",
    "127.0.0.1.example",
    "10.0.0.1",
    "[::2]",
    "localhost.",
    "127.0.0.256",
  ].map((host) => keysAt(`http://${host}/keys`, false)),
  keysAt("http://a/?https://localhost/", false),
  keysAt("http://[0:0:0:0:0:0:0:1]/keys", true, NOTATION),
  oidc("an issuer without TLS", { issuer: "http://login.example/" }, true),
  oidc("an issuer that is a number", { issuer: 7 }, false),
  oidc("no issuer", { issuer: undefined }, false),
  oidc("no key set", { jwksEndpoint: undefined }, false),
];

const CLAIMS: readonly Entry[] = [
  oidc(
    "everything",
    { audience: "svc", tenantClaim: "org_id", rolesClaim: "https://svc.example/roles" },
    true,
  ),
  oidc("an empty audience", { audience: "" }, false),
  oidc("an audience of null", { audience: null }, false, PRUNED),
  oidc("audiences", { audience: ["svc"] }, false),
  oidc("an audience with a line break", { audience: "a\nb" }, false),
  oidc("a long audience", { audience: "x".repeat(257) }, false),
  oidc("an empty tenantClaim", { tenantClaim: "" }, false),
  oidc("a tenantClaim of null", { tenantClaim: null }, false, PRUNED),
  oidc("a rolesClaim that is a number", { rolesClaim: 1 }, false),
  oidc("one claim for both", { tenantClaim: "x", rolesClaim: "x" }, false),
  oidc("the other's default as a claim", { tenantClaim: "svc_roles" }, false),
  oidc("the defaults the other way round", { tenantClaim: "svc_roles", rolesClaim: "tid" }, true),
  oidc("an unknown member", { jwksUri: "https://login.example/" }, false),
];

const ROLES: readonly Entry[] = [
  tenant("empty rbac", { rbac: {} }, true),
  tenant("a default role", { rbac: { defaultRole: "svc:reader" } }, true),
  tenant("all roles", { rbac: { allowedRoles: ["svc:admin", "svc:writer", "svc:reader"] } }, true),
  tenant(
    "a default role that is allowed",
    { rbac: { defaultRole: "svc:writer", allowedRoles: ["svc:writer"] } },
    true,
  ),
  tenant(
    "a default role that is not allowed",
    { rbac: { defaultRole: "svc:admin", allowedRoles: ["svc:reader"] } },
    false,
  ),
  tenant("an unknown role", { rbac: { defaultRole: "svc:owner" } }, false),
  tenant("a role in another case", { rbac: { defaultRole: "svc:Reader" } }, false),
  tenant("an unknown allowed role", { rbac: { allowedRoles: ["svc:reader", "admin"] } }, false),
  tenant("an empty list of allowed roles", { rbac: { allowedRoles: [] } }, false),
  tenant("a duplicate allowed role", { rbac: { allowedRoles: ["svc:reader", "svc:reader"] } }, false),
  tenant("allowed roles that are a string", { rbac: { allowedRoles: "svc:reader" } }, false),
  tenant("rbac of null", { rbac: null }, false, PRUNED),
  tenant("rbac as a list", { rbac: [] }, false),
  tenant("an unknown member of rbac", { rbac: { roles: ["svc:reader"] } }, false),
];

const LIMITS: readonly Entry[] = [
  tenant("empty limits", { limits: {} }, true),
  tenant(
    "every limit",
    { limits: { jobsQueued: 1, segmentsRunning: 2, submitsPerSecond: 3, weight: 4 } },
    true,
  ),
  tenant(
    "no limit",
    { limits: { jobsQueued: "none", segmentsRunning: "none", submitsPerSecond: "none" } },
    true,
  ),
  tenant(
    "the maximum of every limit",
    { limits: { jobsQueued: 100_000_000, weight: 1000, segmentsRunning: 1_000_000 } },
    true,
  ),
  tenant("every limit of uploads", { limits: { uploads: 1, uploadSize: 1, uploadRetention: 1 } }, true),
  tenant(
    "the maximum of every limit of uploads",
    { limits: { uploads: 10_000, uploadSize: 1_000_000, uploadRetention: 36_500 } },
    true,
  ),
  tenant("too many uploads", { limits: { uploads: 10_001 } }, false),
  tenant("too large uploads", { limits: { uploadSize: 1_000_001 } }, false),
  tenant("uploads that are kept too long", { limits: { uploadRetention: 36_501 } }, false),
  tenant("unlimited uploads", { limits: { uploads: "none" } }, false),
  tenant("uploads of no size", { limits: { uploadSize: 0 } }, false),
  tenant("half a day for uploads", { limits: { uploadRetention: 0.5 } }, false),
  tenant("too many jobs", { limits: { jobsQueued: 100_000_001 } }, false),
  tenant("too many segments", { limits: { segmentsRunning: 1_000_001 } }, false),
  tenant("too many submits", { limits: { submitsPerSecond: 1_000_001 } }, false),
  tenant("too much weight", { limits: { weight: 1001 } }, false),
  tenant("a limit of zero jobs", { limits: { jobsQueued: 0 } }, false),
  tenant("a negative limit", { limits: { segmentsRunning: -1 } }, false),
  tenant("a fractional limit", { limits: { submitsPerSecond: 0.5 } }, false),
  tenant("half a weight", { limits: { weight: 1.5 } }, false),
  tenant("a number in quotes", { limits: { jobsQueued: "100" } }, false),
  tenant("an unlimited weight", { limits: { weight: "none" } }, false),
  tenant("NONE", { limits: { jobsQueued: "NONE" } }, false),
  tenant("a limit of null", { limits: { jobsQueued: null } }, false, PRUNED),
  tenant("an unknown limit", { limits: { jobs: 1 } }, false),
  tenant("limits of null", { limits: null }, false, PRUNED),
];

const MODELS: readonly Entry[] = [
  tenant("a default model", { defaultModels: ["v1"] }, true),
  tenant(
    "as many default models as possible",
    { defaultModels: Array.from({ length: 8 }, (_, n) => `${n}`.padEnd(128, "._-aZ")) },
    true,
  ),
  tenant("no default models", { defaultModels: [] }, false),
  tenant(
    "too many default models",
    { defaultModels: Array.from({ length: 9 }, (_, n) => `model-${n}`) },
    false,
  ),
  tenant("a duplicate default model", { defaultModels: ["v1", "v1"] }, false),
  tenant("a default model that is a path", { defaultModels: ["../model"] }, false),
  tenant("a default model with a line break", { defaultModels: ["v1\n"] }, false),
  tenant("an empty default model", { defaultModels: [""] }, false),
  tenant("a default model that is a number", { defaultModels: [1] }, false),
  tenant("a long default model", { defaultModels: ["x".repeat(129)] }, false),
  tenant("default models that are a string", { defaultModels: "v1" }, false),
  tenant("default models of null", { defaultModels: null }, false, PRUNED),
];

const FINDINGS: readonly Entry[] = [
  tenant("a policy on findings", { findings: { action: "WARN", codes: { OFFSET: "IGNORE" } } }, true),
  tenant(
    "an action for every finding",
    { findings: { codes: Object.fromEntries(FINDING_CODES.map((code) => [code, "REFUSE"])) } },
    true,
  ),
  tenant("a policy that says nothing", { findings: {} }, true),
  tenant("no codes", { findings: { codes: {} } }, true),
  tenant("an unknown action", { findings: { action: "warn" } }, false),
  tenant("an unknown code", { findings: { codes: { LATE: "WARN" } } }, false),
  tenant("an unknown action of a code", { findings: { codes: { OFFSET: "OFF" } } }, false),
  tenant("an unknown member of a policy", { findings: { fix: true } }, false),
  tenant("a policy that is an action", { findings: "WARN" }, false),
  tenant("codes that are a list", { findings: { codes: ["OFFSET"] } }, false),
  tenant("a policy of null", { findings: null }, false, PRUNED),
  tenant("an action of null", { findings: { action: null } }, false, PRUNED),
];

const S3 = { region: "eu-central-1", buckets: ["videos"] };
const LENIENT_UPLOADS = "more lenient: does not compare members";
const LENIENT_HOST = "more lenient: checks the form of hosts only";

function s3(what: string, over: object, good: boolean, exception?: string): Entry {
  return tenant(`a storage with ${what}`, { storages: [{ s3: { ...S3, ...over } }] }, good, exception);
}

function hosts(list: unknown, good: boolean, exception?: string): Entry {
  return tenant(`hosts ${JSON.stringify(list)}`, { storages: [{ https: { hosts: list } }] }, good, exception);
}

const STORAGES: readonly Entry[] = [
  s3("the minimum", {}, true),
  s3("a Secret", { credentials: { secretName: "acme-storage.v2" } }, true),
  s3("a file", { credentials: { file: "/etc/svc/credentials", profile: "svc" } }, true),
  s3("both", { credentials: { secretName: "a", file: "/a" } }, false),
  s3("neither", { credentials: {} }, false),
  s3("a profile of a Secret", { credentials: { secretName: "a", profile: "svc" } }, false),
  s3("a relative file", { credentials: { file: "credentials" } }, false),
  s3("a profile with a line break", { credentials: { file: "/a", profile: "a\nb" } }, false),
  s3("an unknown credential", { credentials: { secretName: "a", namespace: "other" } }, false),
  ...["Acme", "a/b", "", "-a", "a..b", "x".repeat(254)].map((secretName) =>
    s3(`the Secret ${secretName.slice(0, 20)}`, { credentials: { secretName } }, false),
  ),
  s3("prefixes", { buckets: ["videos/", "videos/2026/é ..", "a.b-c_d"] }, true),
  ...[
    ["videos", "videos"],
    [],
    ["Videos"],
    ["a..b"],
    ["ab"],
    ["videos/a\nb"],
    ["s3://videos"],
    "videos",
    [7],
  ].map((buckets) => s3(`buckets ${JSON.stringify(buckets)}`, { buckets }, false)),
  ...["videos", "videos/", "videos/in/", "videos/in/2026_a=b+c@d.e-f/"].map((uploads) =>
    s3(`uploads ${uploads}`, { uploads }, true),
  ),
  ...["", "s3://videos", "videos/in", "videos//", "videos/../", "videos/a b/", "a..b", 7].map((uploads) =>
    s3(`uploads ${JSON.stringify(uploads)}`, { uploads }, false),
  ),
  s3("uploads outside its buckets", { uploads: "other/" }, false, LENIENT_UPLOADS),
  s3("a long prefix", { buckets: [`videos/${"x".repeat(1024)}`] }, true),
  s3("no region", { region: undefined }, false),
  s3("a region with a space", { region: "eu west" }, false),
  s3("an endpoint", { endpoint: "https://s3.example:9000" }, true),
  s3("an endpoint with a slash", { endpoint: "https://s3.example/" }, true),
  s3("a private endpoint", { endpoint: "http://10.0.0.7:9000", privateNetwork: true }, true),
  s3("a plain endpoint", { endpoint: "http://s3.example" }, false),
  s3("a plain public endpoint", { endpoint: "http://s3.example", privateNetwork: false }, false),
  ...["https://s3.example/videos", "https://s3.example?a", "ftp://s3.example", "https://u:p@s3.example"].map(
    (endpoint) => s3(`the endpoint ${endpoint}`, { endpoint }, false),
  ),
  s3("privateNetwork in quotes", { privateNetwork: "true" }, false),
  s3("an unknown member", { bucket: "videos" }, false),
  hosts(["media.example", "cdn.example:8443", "192.0.2.1", "[2001:db8::1]:8443"], true),
  ...[["Media.example"], ["https://media.example"], ["media.example/a"], ["u@media.example"], [""], []].map(
    (list) => hosts(list, false),
  ),
  ...[["0177.0.0.1"], ["media.example", "media.example"], ["256.1.1.1"], ["media.1"]].map((list) =>
    hosts(list, false),
  ),
  ...[["media.example:443"], ["media.example:70000"], ["[2001:db8:0::1]"]].map((list) =>
    hosts(list, false, LENIENT_HOST),
  ),
  tenant("storages that are an object", { storages: { s3: S3 } }, false),
  tenant("no storages", { storages: [] }, false),
  tenant("a storage of two kinds", { storages: [{ s3: S3, https: { hosts: ["a.example"] } }] }, false),
  tenant("a storage of no kind", { storages: [{}] }, false),
  tenant("a storage of an unknown kind", { storages: [{ ftp: {} }] }, false),
  tenant("too many storages", { storages: Array.from({ length: 101 }, () => ({ s3: S3 })) }, false),
];

const REST: readonly Entry[] = [
  tenant("the minimum", {}, true),
  tenant("enabled", { enabled: true }, true),
  tenant("disabled", { enabled: false }, true),
  tenant("enabled in quotes", { enabled: "true" }, false),
  tenant("enabled 1", { enabled: 1 }, false),
  tenant("enabled null", { enabled: null }, false, PRUNED),
  tenant("an unknown member", { disabled: true }, false),
];

export const ENTRIES: readonly Entry[] = [
  ...[...REST, ...IDS, ...URLS, ...NO_URLS, ...URL_EXCEPTIONS, ...ENDPOINTS, ...CLAIMS, ...ROLES],
  ...[...LIMITS, ...MODELS, ...FINDINGS, ...STORAGES],
];
