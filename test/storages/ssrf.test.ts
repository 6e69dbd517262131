/**
 * No URL of a job makes svc connect to this machine or its network: real servers on loopback count the connections that
 * they get. Every attempt must be refused, and none must connect.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Storage } from "../../src/jobs/media/storages.ts";
import { type ObjectAccess, ObjectFault } from "../../src/media/objects/object.ts";
import { ObjectReader } from "../../src/media/objects/reader.ts";
import { findRemote } from "../../src/media/storages/signer.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Authority } from "../server/certificates.ts";
import { DnsServer } from "./dns-server.ts";
import { MediaServer } from "./media-server.ts";

/** Addresses that names can resolve to. */
const FORBIDDEN = [
  ...["127.0.0.1", "127.0.0.2", "127.255.255.254", "0.0.0.0", "0.1.2.3"],
  ...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.100.100.200"],
  ...["169.254.169.254", "169.254.170.2", "192.0.0.192", "192.0.2.1", "198.18.0.1", "203.0.113.9"],
  ...["224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"],
  ...["::1", "::", "fe80::1", "fc00::1", "fd00::1", "fd00:ec2::254", "fec0::1", "ff02::1"],
  ...["::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8", "::127.0.0.1", "::ffff:0:127.0.0.1"],
  ...["64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001::7f00:1"],
  ...["2001:db8::1", "100::1"],
];

/** Hosts in URLs that mean this machine or its network. */
const LITERALS = [
  ...["127.0.0.1", "127.1", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "017700000001", "0"],
  ...[
    "127.0.0.1.",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "[::127.0.0.1]",
  ],
  ...[
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "[fd00:ec2::254]",
  ],
  ...["①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.0.0.1", "localhost", "LOCALHOST", "localhost."],
];

/** Names that look like those of the storage media.example. */
const DISGUISED = [
  ...["https://media.example@PLACE/film.mp4", "https://user:secret@media.example/film.mp4"],
  ...["https://media.example:443@PLACE/film.mp4", "https://PLACE\\@media.example/film.mp4"],
  ...["https://media.example\\.PLACE/film.mp4", "https://media.example%2ePLACE/film.mp4"],
  ...[
    "https://media.example#@PLACE/film.mp4",
    "https://PLACE#media.example/",
    "https://PLACE?media.example/",
  ],
  ...["https://media.example.PLACE/film.mp4", "https://xn--mediaexample-.example/film.mp4"],
  ...[
    "https://mediа.example/film.mp4",
    "https://media.example:22/film.mp4",
    "https://media.example:8443/film.mp4",
  ],
  ...["http://media.example/film.mp4", "http://PLACE/film.mp4", "ftp://media.example/film.mp4"],
  ...["file:///etc/passwd", "gopher://PLACE/_x", "concat://PLACE", "https:///PLACE/film.mp4", "https://"],
  ...[
    "https://media.example/film.mp4?url=http://PLACE/",
    "s3://bucket@PLACE/film.mp4",
    "s3://PLACE/film.mp4",
  ],
  ...["s3://bucket/../other/film.mp4", "s3://bucket/a/./b.mp4", "s3://bucket/film.mp4?X-Amz-Signature=0"],
];

/** Where a storage can redirect to. */
const REDIRECTS = [
  ...["https://PLACE/", "http://PLACE/", "//PLACE/", "https://localhost:PORT/", "https://127.1:PORT/"],
  ...[
    "https://0177.0.0.1:PORT/",
    "https://2130706433:PORT/",
    "https://[::1]:PORT/",
    "https://[::ffff:127.0.0.1]:PORT/",
  ],
  ...[
    "http://169.254.169.254/latest/meta-data/",
    "https://rebound.test:PORT/",
    "https://user@HOST/",
    "http://HOST/",
  ],
  ...[
    "file:///etc/passwd",
    "gopher://PLACE/_x",
    "data:video/mp4,x",
    "javascript:1",
    "https://HOST.PLACE/",
    "https://[",
  ],
];

let directory: string;
let victims: Victim[];
let server: MediaServer;
let names: DnsServer;
let reader: ObjectReader;
let attempts = 0;

/** Counts connections to a port of loopback. */
interface Victim {
  readonly server: Server;
  connections: number;
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "ssrf-"));
  const authority = await Authority.open(directory, "authority");
  setDefaultCACertificates([...getCACertificates("default"), await authority.pem()]);
  const first = await victim("127.0.0.1", 0);
  const { port } = first.server.address() as AddressInfo;
  victims = [first, await victim("::1", port)];
  server = await MediaServer.start(authority);
  names = await DnsServer.start();
  reader = new ObjectReader(names.resolver());
});

after(async () => {
  await reader.close();
  await server.close();
  names.close();
  for (const { server: own } of victims) own.close();
  await rm(directory, { recursive: true });
});

async function victim(host: string, port: number): Promise<Victim> {
  const own: Victim = { server: createServer(), connections: 0 };
  own.server.on("connection", (socket) => {
    own.connections++;
    socket.destroy();
  });
  own.server.listen(port, host);
  await once(own.server, "listening");
  return own;
}

function port(): number {
  const [first] = victims;
  assert.ok(first);
  return (first.server.address() as AddressInfo).port;
}

function noneConnected(what: string): void {
  attempts++;
  for (const { connections } of victims) assert.equal(connections, 0, what);
}

/** Access to a URL of a storage that lists its host. */
function listed(url: string, privateNetwork = false): ObjectAccess {
  return { url, reach: { hosts: [new URL(url).host], plainHttp: false }, privateNetwork };
}

async function refused(access: ObjectAccess, what: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  await assert.rejects(
    reader.look(access, false, signal),
    (error) => error instanceof ObjectFault && error.trouble === "REFUSED",
    what,
  );
  noneConnected(what);
}

test("hosts that are forbidden addresses, in every notation, even if a storage lists them", async () => {
  names.set("localhost", () => ["127.0.0.1", "::1"]);
  names.set("localhost.", () => ["127.0.0.1"]);
  for (const literal of LITERALS) await refused(listed(`https://${literal}:${port()}/film.mp4`), literal);
});

test("names that resolve to forbidden addresses, alone or beside a public one", async () => {
  for (const [index, address] of FORBIDDEN.entries()) {
    names.set(`host${index}.test`, () => [address]);
    await refused(listed(`https://host${index}.test:${port()}/film.mp4`), address);
    names.set(`mixed${index}.test`, () => ["9.9.9.9", "2620:fe::fe", address]);
    await refused(listed(`https://mixed${index}.test:${port()}/film.mp4`), `9.9.9.9 and ${address}`);
  }
});

test("a private network allows private addresses, but no metadata and no translated forms", async () => {
  const isPrivate = /^(127|10|172|192\.168|100\.64|::1$|f[cd]00::1$)/;
  const still = FORBIDDEN.filter((address) => !isPrivate.test(address));
  assert.ok(still.includes("169.254.169.254") && still.includes("fd00:ec2::254"));
  for (const [index, address] of still.entries()) {
    names.set(`inside${index}.test`, () => [address]);
    await refused(listed(`https://inside${index}.test:${port()}/film.mp4`, true), address);
  }
});

test("a name is resolved once per connection, which is made to the address that was checked", async () => {
  server.put("/film.mp4", Buffer.from("film"));
  const pinned = new ObjectReader(names.resolver());
  const before = names.asked.length;
  const earlier = names.asked.filter((name) => name === "localhost").length;
  names.set("localhost", (time) => (time === earlier ? ["127.0.0.1"] : ["169.254.169.254"]));
  const { size } = await pinned.look(
    listed(server.url("/film.mp4"), true),
    false,
    AbortSignal.timeout(60_000),
  );
  assert.equal(size, 4);
  assert.deepEqual(names.asked.slice(before), ["localhost"]);
  // The next connection sees the other address.
  server.cut();
  const again = pinned.look(listed(server.url("/film.mp4"), true), false, AbortSignal.timeout(60_000));
  await assert.rejects(again, (error) => error instanceof ObjectFault && error.trouble === "REFUSED");
  await pinned.close();
  names.set("localhost", () => ["127.0.0.1"]);
  noneConnected("rebound");
});

test("names of videos that only look as if they were in a storage", () => {
  const place = `127.0.0.1:${port()}`;
  const storages: readonly Storage[] = [
    { kind: "https", hosts: ["media.example"], privateNetwork: false },
    {
      kind: "s3",
      endpoint: undefined,
      region: "eu-central-1",
      buckets: [{ bucket: "bucket", prefix: "" }],
      credentials: undefined,
      privateNetwork: false,
    },
  ];
  for (const text of DISGUISED.map((one) => one.replace("PLACE", place))) {
    assert.throws(
      () => findRemote("reference", text, storages),
      (error) => error instanceof Failure && ["URL_NOT_SUPPORTED", "URL_NOT_ALLOWED"].includes(error.code),
      text,
    );
    noneConnected(text);
  }
});

test("redirects to anything but the storage's own hosts, and chains that do not end", async () => {
  names.set("rebound.test", () => ["127.0.0.1"]);
  server.put("/film.mp4", Buffer.from("film"));
  for (const template of REDIRECTS) {
    const location = template
      .replace("PLACE", `127.0.0.1:${port()}`)
      .replace("PORT", String(port()))
      .replace("HOST", server.host);
    server.fault = ({ response }) => {
      response.writeHead(302, { location }).end();
      return true;
    };
    await refused(listed(server.url("/film.mp4"), true), location);
  }
  for (const status of [301, 302, 303, 307, 308]) {
    server.fault = ({ response }) => {
      response.writeHead(status, { location: "/film.mp4" }).end();
      return true;
    };
    await refused(listed(server.url("/film.mp4"), true), `a loop of ${status}`);
  }
  server.fault = () => false;
});

test("a redirect within the storage is followed, and loses nothing of the request", async () => {
  let redirects = 0;
  server.fault = ({ response, path }) => {
    if (path !== "/moved.mp4") return false;
    redirects++;
    response.writeHead(307, { location: server.url("/film.mp4") }).end();
    return true;
  };
  server.put("/moved.mp4", Buffer.from("x"));
  server.put("/film.mp4", Buffer.from("the film"));
  const found = await reader.look(listed(server.url("/moved.mp4"), true), false, AbortSignal.timeout(60_000));
  assert.equal(found.size, 8);
  assert.equal(redirects, 1);
  server.fault = () => false;
});

test("at least 80 attempts were made", () => {
  assert.ok(attempts >= 80, `${attempts} attempts`);
});
