/** Lists of buckets: what is read of them, in every encoding, and which responses are refused. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import fc from "fast-check";
import { parseObjectList } from "../../src/media/objects/listing.ts";
import { ObjectFault, type ObjectTrouble } from "../../src/media/objects/object.ts";
import { StorageFixture } from "./storage-fixture.ts";

const NEVER = new AbortController().signal;

let fixture: StorageFixture;
before(async () => {
  fixture = await StorageFixture.open();
});
beforeEach(() => {
  fixture.server.fault = () => false;
});
after(() => fixture[Symbol.asyncDispose]());

const list = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</ListBucketResult>`;
const object = (key: string, size: number | string = 7) =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>${size}</Size></Contents>`;

test("reads one, several and no objects and prefixes, with and without encoding", async () => {
  assert.deepEqual(await parseObjectList(list("")), { objects: [], prefixes: [], next: undefined });
  const one = await parseObjectList(list(`${object("a&amp;b+c")}<IsTruncated>false</IsTruncated>`));
  assert.deepEqual(one.objects, [{ key: "a&b+c", size: 7, modifiedMs: Date.parse("2026-01-02T03:04:05Z") }]);
  const prefixes = ["a%2Fb/", "c+d%2B/"].map(
    (text) => `<CommonPrefixes><Prefix>${text}</Prefix></CommonPrefixes>`,
  );
  const encoded = await parseObjectList(
    list(
      `<EncodingType>url</EncodingType>${object("%C3%A9")}${object("x%0A")}${prefixes.join("")}<IsTruncated>true</IsTruncated><NextContinuationToken>t/1=</NextContinuationToken>`,
    ),
  );
  assert.deepEqual(
    encoded.objects.map(({ key }) => key),
    ["é", "x\n"],
  );
  assert.deepEqual(encoded.prefixes, ["a/b/", "c d+/"]);
  assert.equal(encoded.next, "t/1=");
});

async function troubleOf(listing: Promise<unknown>): Promise<ObjectTrouble> {
  const fault: unknown = await listing.then(
    () => assert.fail("it was listed"),
    (thrown: unknown) => thrown,
  );
  assert.ok(fault instanceof ObjectFault, String(fault));
  return fault.trouble;
}

test("refuses responses that are not lists", async () => {
  for (const xml of [
    ...["", "{}", "<html><body>no</body></html>", "<ListBucketResult>", list("<Contents>"), "\0"],
    ...[list(object("a", "many")), list(object("a", -1)), list(object("a", "")), list(object("a", 1e300))],
    ...[list("<IsTruncated>true</IsTruncated>"), "<a>".repeat(200_000)],
    '<!DOCTYPE a [<!ENTITY b "c">]><Error>&b;</Error>',
  ])
    assert.equal(await troubleOf(parseObjectList(xml)), "UNAVAILABLE", xml.slice(0, 60));
});

test("entities are not expanded, and no text breaks the parser", async () => {
  const xml = `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${list(object("&e;")).slice(39)}`;
  assert.equal((await parseObjectList(xml)).objects[0]?.key, "");
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      await parseObjectList(list(text)).catch((thrown: unknown) => assert.ok(thrown instanceof ObjectFault));
    }),
  );
});

/** Answers the list with this status and body, once for each of the retries. */
async function answered(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Promise<ObjectTrouble> {
  fixture.server.put("/bucket", Buffer.from("x"));
  fixture.server.fault = ({ response }) => {
    response.writeHead(status, headers).end(body);
    return true;
  };
  return troubleOf(fixture.reader.list(fixture.access("/bucket"), NEVER));
}

test("statuses and redirects of a service have a meaning", async () => {
  assert.equal(await answered(404, ""), "MISSING");
  assert.equal(await answered(403, "<Error/>"), "DENIED");
  assert.equal(await answered(400, ""), "UNSUITABLE");
  assert.equal(await answered(503, ""), "UNAVAILABLE");
  assert.equal(await answered(307, "", { location: "https://127.0.0.1:1/bucket" }), "REFUSED");
  assert.equal(
    await answered(307, "", { location: fixture.server.url("/bucket").replace("https", "http") }),
    "REFUSED",
  );
});

test("a list that does not end is cut off", async () => {
  assert.equal(await answered(200, list(object("a".repeat(5_000_000)))), "UNAVAILABLE");
});
