/** Origins of buckets, which become a part of the console's Content-Security-Policy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { UPLOAD_ORIGINS } from "../../../../src/processes/controller/console-settings.ts";

const parse = (text: string) => UPLOAD_ORIGINS.parse(text);

test("takes origins, also with a wildcard", () => {
  for (const origin of [
    "https://acme.s3.eu-central-1.amazonaws.com",
    "https://*.s3.eu-central-1.amazonaws.com",
    "http://127.0.0.1:9000",
    "https://minio:9000",
  ])
    assert.deepEqual(parse(origin), [origin]);
});

test("refuses text that is not an origin, or would change the policy", () => {
  for (const text of [
    ...["", "*", "https:", "https://", "https://*", "https://*.", "bucket.example", "ftp://a.example"],
    ...["https://a.example/", "https://a.example/path", "https://a.example?x", "https://user@a.example"],
    ...["https://a.example; script-src *", "https://a.example 'unsafe-inline'", "https://a.example\n"],
    ...[
      "https://A.example",
      "https://a.example:",
      "https://a.*.example",
      "'self'",
      "https://a.example,https://b",
    ],
  ])
    assert.throws(() => parse(text), /is not an origin/, JSON.stringify(text));
});
