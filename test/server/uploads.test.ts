/** Uploads over REST: the protocol tus, and what careless and hostile clients send. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { UploadLimits } from "../../src/jobs/media/upload-limits.ts";
import { until } from "../waiting.ts";
import { Transports } from "./transports.ts";

const BYTES = "application/offset+octet-stream";

let directory: string;
let transports: Transports;
/** Limits of tenants that do not have those of all. */
const own = new Map<string, Partial<UploadLimits>>();
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-tus-"));
  const limits = { bytes: 100 * 2 ** 20, count: 100, keptMs: 86_400_000 };
  transports = await Transports.open(undefined, {
    uploads: { directory, limitsOf: (tenant) => ({ ...limits, ...own.get(tenant) }) },
  });
});
after(async () => {
  await transports[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

type Headers = Readonly<Record<string, string>>;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const named = (name: string) => `filename ${base64(name)}`;

async function send(
  method: string,
  path: string,
  headers: Headers = {},
  body?: string | Buffer<ArrayBuffer>,
) {
  const response = await fetch(transports.rest + path, {
    method,
    headers: { authorization: "Bearer a", ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const content = text === "" ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
  return { status: response.status, headers: response.headers, body: content };
}

/** Returns the path of a new upload. */
async function begin(size: number, metadata = named("clip.mp4")): Promise<string> {
  const sent = { "tus-resumable": "1.0.0", "upload-length": String(size), "upload-metadata": metadata };
  const { status, headers } = await send("POST", "/v1/uploads", sent);
  assert.equal(status, 201);
  return headers.get("location") ?? assert.fail();
}

function patch(
  path: string,
  offset: number | string,
  body: string | Buffer<ArrayBuffer>,
  headers: Headers = {},
) {
  return send("PATCH", path, { "content-type": BYTES, "upload-offset": String(offset), ...headers }, body);
}

describe("tus", () => {
  test("creates, appends, reports the offset and deletes", async () => {
    const path = await begin(10, `${named("ä b.mp4")},fingerprint ${base64("mine")},empty,other /w==`);
    const first = await patch(path, 0, "01234");
    assert.deepEqual([first.status, first.headers.get("upload-offset")], [204, "5"]);
    assert.ok(Date.parse(first.headers.get("upload-expires") ?? "") > Date.now());
    const head = await send("HEAD", path);
    for (const [name, value] of [
      ["upload-offset", "5"],
      ["upload-length", "10"],
      ["tus-resumable", "1.0.0"],
      ["cache-control", "no-store"],
    ] as const)
      assert.equal(head.headers.get(name), value);
    assert.equal((await patch(path, 5, "56789")).headers.get("upload-offset"), "10");
    const { body } = await send("GET", path);
    assert.deepEqual([body["name"], body["fingerprint"], body["offset"]], ["ä b.mp4", "mine", 10]);
    assert.equal(await readFile(String(body["path"]), "utf8"), "0123456789");
    assert.equal((await send("DELETE", path)).status, 204);
    assert.equal((await send("HEAD", path)).status, 404);
  });

  test("keeps what arrived before the connection broke", async () => {
    const path = await begin(10_000_000);
    const sent = 3_000_000;
    const { hostname, port } = new URL(transports.rest);
    const headers = {
      ...{ authorization: "Bearer a", "content-type": BYTES, "upload-offset": "0" },
      "content-length": "10000000",
    };
    const broken = httpRequest({ hostname, port, path, method: "PATCH", headers }).on("error", () => {});
    broken.write(Buffer.alloc(sent, "x"), () => broken.destroy());
    const offset = async () => Number((await send("HEAD", path)).headers.get("upload-offset"));
    await until(async () => (await offset()) > 0, "stored bytes");
    // The rest of the broken request may still be on its way.
    const resumed = async () => {
      const at = await offset();
      return (await patch(path, at, Buffer.alloc(10_000_000 - at, "x"))).status === 204;
    };
    await until(resumed, "the rest");
    const { body } = await send("GET", path);
    assert.deepEqual(await readFile(String(body["path"])), Buffer.alloc(10_000_000, "x"));
  });
});

describe("parts", () => {
  const sha256 = Buffer.alloc(32).toString("base64");
  const asJson = { "content-type": "application/json" };
  const ask = (path: string, body: unknown) => send("POST", `${path}:sign`, asJson, JSON.stringify(body));

  test("are for a tenant with a bucket: without one the upload goes to the directory", async () => {
    const sent = { "upload-length": "10", "upload-metadata": named("a.mp4") };
    const { status, body, headers } = await send("POST", "/v1/uploads?parts=true", sent);
    assert.deepEqual([status, body["partSize"], body["storedParts"]], [201, 0, []]);
    const path = headers.get("location") ?? assert.fail();
    for (const answer of [
      await ask(path, { parts: [{ number: 1, sha256 }] }),
      await send("POST", `${path}:complete`),
    ])
      assert.deepEqual([answer.status, answer.body["code"]], [409, "UPLOAD_KIND"]);
    assert.equal((await patch(path, 0, "0123456789")).status, 204);
  });

  test("are requested in a valid form", async () => {
    const path = await begin(10);
    for (const body of [
      {},
      { parts: [] },
      { parts: [{ number: 0, sha256 }] },
      { parts: [{ number: 1001, sha256 }] },
      { parts: [{ number: 1.5, sha256 }] },
      { parts: [{ number: 1, sha256: "x" }] },
      { parts: [{ number: 1 }] },
      { parts: [{ number: 1, sha256, url: "https://example.com" }] },
      { parts: Array.from({ length: 17 }, () => ({ number: 1, sha256 })) },
      { id: "other", parts: [{ number: 1, sha256 }] },
    ]) {
      const answer = await ask(path, body);
      assert.deepEqual([answer.status, answer.body["code"]], [400, "INVALID_REQUEST"], JSON.stringify(body));
    }
    assert.equal((await send("POST", "/v1/uploads?parts=perhaps")).body["code"], "INVALID_REQUEST");
    assert.equal((await ask("/v1/uploads/none", { parts: [{ number: 1, sha256 }] })).status, 404);
    assert.equal((await send("POST", "/v1/uploads/none:complete")).status, 404);
  });
});

describe("refuses", () => {
  test("an upload without a valid size or name", async () => {
    const wrong: readonly Headers[] = [
      {},
      { "upload-length": "10" },
      { "upload-metadata": named("a.mp4") },
      { "upload-length": "-1", "upload-metadata": named("a.mp4") },
      { "upload-length": "1e3", "upload-metadata": named("a.mp4") },
      { "upload-length": "10", "upload-metadata": named("../a.mp4") },
      {
        "upload-length": "10",
        "upload-metadata": `filename ${Buffer.from([0xff, 0xfe]).toString("base64")}`,
      },
      { "upload-length": "10", "upload-metadata": "filename" },
      { "upload-length": "10", "upload-metadata": "__proto__ YQ==" },
      { "upload-defer-length": "1", "upload-metadata": named("a.mp4") },
    ];
    for (const headers of wrong) {
      const { status, body } = await send("POST", "/v1/uploads", headers);
      assert.deepEqual([status, body["code"]], [400, "INVALID_REQUEST"], JSON.stringify(headers));
    }
  });

  test("another version of tus", async () => {
    const headers = { "tus-resumable": "0.2.2", "upload-length": "1", "upload-metadata": named("a.mp4") };
    const { status, body, headers: answer } = await send("POST", "/v1/uploads", headers);
    assert.deepEqual([status, body["code"], answer.get("tus-version")], [412, "TUS_VERSION", "1.0.0"]);
  });

  test("bytes at a wrong offset, too many, encoded, or of another type", async () => {
    const path = await begin(10);
    for (const [answer, status, code] of [
      [await patch(path, 1, "x"), 409, "UPLOAD_OFFSET"],
      [await patch(path, "", "x"), 400, "INVALID_REQUEST"],
      [await patch(path, 0, "0123456789x"), 409, "UPLOAD_OFFSET"],
      [await patch(path, 0, "x", { "content-encoding": "gzip" }), 415, "UNSUPPORTED_MEDIA_TYPE"],
      [await patch(path, 0, "{}", { "content-type": "application/json" }), 415, "UNSUPPORTED_MEDIA_TYPE"],
      [await patch(path, 0, "x", { "tus-resumable": "2" }), 412, "TUS_VERSION"],
      [await patch("/v1/uploads/none", 0, "x"), 404, "UPLOAD_NOT_FOUND"],
      [await patch("/v1/uploads/..%2Fb", 0, "x"), 404, "UPLOAD_NOT_FOUND"],
    ] as const)
      assert.deepEqual([answer.status, answer.body["code"]], [status, code]);
    assert.equal((await send("HEAD", path)).headers.get("upload-offset"), "0");
  });

  test("callers who may not submit jobs", async () => {
    for (const [method, path] of [
      ["GET", "/v1/uploads"],
      ["POST", "/v1/uploads"],
      ["GET", "/v1/uploads/x"],
      ["PATCH", "/v1/uploads/x"],
      ["DELETE", "/v1/uploads/x"],
      ["POST", "/v1/uploads/x:sign"],
      ["POST", "/v1/uploads/x:complete"],
    ] as const) {
      const { status, body } = await send(method, path, { authorization: "Bearer a~reader" });
      assert.deepEqual([status, body["code"]], [403, "ROLE_MISSING"]);
    }
  });

  test("a body of bytes for an operation that takes JSON", async () => {
    const { status, body } = await send("POST", "/v1/jobs", { "content-type": BYTES }, "{}");
    assert.deepEqual([status, body["code"]], [415, "UNSUPPORTED_MEDIA_TYPE"]);
  });
});

describe("limits of one tenant", () => {
  const as = (tenant: string) => ({ authorization: `Bearer ${tenant}` });
  const create = (tenant: string, size: number) =>
    send("POST", "/v1/uploads", {
      ...as(tenant),
      ...{ "tus-resumable": "1.0.0", "upload-length": String(size), "upload-metadata": named("clip.mp4") },
    });

  test("apply to the tenant's own uploads, and are shown to no other tenant", async () => {
    own.set("small", { bytes: 20, count: 3 });
    own.set("few", { count: 1, keptMs: 3_600_000 });
    const tooLarge = await create("small", 21);
    assert.deepEqual([tooLarge.status, tooLarge.body["code"]], [429, "TENANT_UPLOADS_FULL"]);
    assert.deepEqual(tooLarge.body["found"], { bytes: 21, used: 0, limit: 20 });
    assert.equal((await create("small", 20)).status, 201);
    const first = await create("few", 21);
    assert.equal(first.status, 201);
    const second = await create("few", 1);
    assert.deepEqual([second.status, second.body["found"]], [429, { uploads: 1, limit: 1 }]);
    for (const [tenant, maxCount, maxBytes] of [
      ["small", 3, 20],
      ["few", 1, 100 * 2 ** 20],
    ] as const) {
      const { body } = await send("GET", "/v1/tenant", as(tenant));
      const shown = body["uploads"] as Readonly<Record<string, unknown>>;
      assert.deepEqual([shown["count"], shown["maxCount"], shown["maxBytes"]], [1, maxCount, maxBytes]);
    }
    const kept = async (tenant: string) => {
      const { body } = await send("GET", "/v1/uploads", as(tenant));
      const [one] = body["uploads"] as readonly {
        readonly createTime: string;
        readonly expireTime: string;
      }[];
      return Math.round((Date.parse(one?.expireTime ?? "") - Date.parse(one?.createTime ?? "")) / 3_600_000);
    };
    assert.deepEqual([await kept("small"), await kept("few")], [24, 1]);
  });

  test("apply at once when they change, and keep existing uploads", async () => {
    own.set("changed", { count: 1 });
    assert.equal((await create("changed", 10)).status, 201);
    assert.equal((await create("changed", 10)).status, 429);
    own.set("changed", { count: 2 });
    assert.equal((await create("changed", 10)).status, 201);
    own.set("changed", { bytes: 5 });
    assert.equal((await create("changed", 1)).status, 429);
    const { body } = await send("GET", "/v1/uploads", as("changed"));
    assert.equal((body["uploads"] as readonly unknown[]).length, 2);
  });
});
