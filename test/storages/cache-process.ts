/** Fetches an object into a cache; for tests that kill it. Arguments: directory, URL, version as JSON, file of a CA. */
import { readFileSync } from "node:fs";
import { setDefaultCACertificates } from "node:tls";
import { MediaCache } from "../../src/media/cache/cache.ts";
import type { ObjectVersion } from "../../src/media/objects/object.ts";
import { ObjectReader } from "../../src/media/objects/reader.ts";
import { openWhole } from "./storage-fixture.ts";

const [directory = "", url = "", version = "", authority = ""] = process.argv.slice(2);
setDefaultCACertificates([readFileSync(authority, "utf8")]);
const reader = new ObjectReader();
const cache = await MediaCache.open({ directory, maxBytes: 2 ** 40, reader });
const access = () => ({
  url,
  reach: { hosts: [new URL(url).host], plainHttp: false },
  privateNetwork: true,
});
const key = { tenant: "acme", place: url, name: url, version: JSON.parse(version) as ObjectVersion };
await using _ = await openWhole(cache, key, { access, signal: AbortSignal.timeout(60_000) });
await reader.close();
