/** SvcTenants when the API server lists them but refuses to watch; no real API server does that on request. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import pino from "pino";
import { Registry } from "prom-client";
import { ApiClient } from "../../src/kubernetes/api-client.ts";
import { SvcTenants } from "../../src/kubernetes/svc-tenants.ts";
import { Authority } from "../server/certificates.ts";
import { until } from "../waiting.ts";

const LIST = { metadata: { resourceVersion: "7" }, items: [] };
const FOLLOWED_AGAIN = "SvcTenants are followed again";

let directory: string;
let ca: string;
let server: Server;
/** The time of each request, in milliseconds. */
let lists: number[] = [];
let watches: number[] = [];
/** The response to a watch, by the number of earlier ones. */
let answerWatch: (response: ServerResponse, before: number) => void = begin;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-refused-"));
  const authority = await Authority.open(directory, "authority");
  const { cert, key } = await authority.issue("server");
  ca = await authority.pem();
  server = createServer(
    { cert: await readFile(cert), key: await readFile(key) },
    ({ url = "" }, response) => {
      const isWatch = url.includes("watch=true");
      const times = isWatch ? watches : lists;
      times.push(performance.now());
      if (isWatch) answerWatch(response, times.length - 1);
      else response.end(JSON.stringify(LIST));
    },
  );
  // Avoids that a kept-alive connection is closed just as the next request arrives.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  [lists, watches] = [[], []];
  server.closeAllConnections();
});
after(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

/** A watch that stays open until someone ends it. */
function begin(response: ServerResponse): void {
  response.writeHead(200).flushHeaders();
}

function refuse(code: number, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse) => void response.writeHead(code, headers).end("no");
}

/** Followed tenants, with what was logged about them. */
class Followed implements AsyncDisposable {
  readonly #registry = new Registry();
  readonly #logged: string[] = [];
  readonly #client: ApiClient;
  readonly #tenants: SvcTenants;

  constructor() {
    const { port } = server.address() as AddressInfo;
    const identity = async () => ({ ca });
    this.#client = new ApiClient({ server: `https://127.0.0.1:${port}`, namespace: undefined, identity });
    const log = pino({}, { write: (line: string) => this.#logged.push(String(JSON.parse(line).msg)) });
    const [client, registry] = [this.#client, this.#registry];
    this.#tenants = new SvcTenants({ client, namespace: "svc", log, registry, allowHttp: false });
    this.#tenants.start();
  }

  /** Logged failures, in order. */
  get troubles(): readonly string[] {
    return this.#logged.filter((line) => line !== "SvcTenants loaded");
  }

  async sample(name: string): Promise<unknown> {
    return (await this.#registry.getSingleMetric(name)?.get())?.values[0]?.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tenants.stop();
    this.#client.close();
  }
}

/** Refuses the first watches, lets one begin, and returns what was logged about it. */
async function refused(times: number, by: (response: ServerResponse) => void): Promise<readonly string[]> {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  answerWatch = (response, before) => {
    if (before < times) by(response);
    else void release.then(() => begin(response));
  };
  await using followed = new Followed();
  await until(() => watches.length > times, "a watch after the last refused one");
  assert.equal(await followed.sample("svc_tenants_synced"), 0);
  resolve();
  await until(async () => (await followed.sample("svc_tenants_synced")) === 1, "the tenants to be followed");
  return followed.troubles;
}

const STAY = "failed to follow the SvcTenants; the known ones stay in force; retrying";

for (const code of [401, 403, 429, 500]) {
  test(`${code} leads to another watch, and is logged once`, async () => {
    assert.deepEqual(await refused(2, refuse(code)), [STAY, FOLLOWED_AGAIN]);
    assert.deepEqual([lists.length, watches.length], [1, 3]);
  });
}

test("404 leads to a list, and is logged once", async () => {
  assert.deepEqual(await refused(2, refuse(404)), [STAY, FOLLOWED_AGAIN]);
  assert.equal(lists.length, 3);
});

test("410 leads to a list, and is not logged", async () => {
  assert.deepEqual(await refused(2, refuse(410)), []);
  assert.equal(lists.length, 3);
});

test("alternating reasons are logged once each", async () => {
  let turn = 0;
  const inTurn = (response: ServerResponse) => refuse(turn++ % 2 === 0 ? 403 : 500)(response);
  assert.deepEqual(await refused(3, inTurn), [STAY, STAY, FOLLOWED_AGAIN]);
});

test("a server that asks for a pause gets no request for that long", async () => {
  await refused(2, refuse(429, { "retry-after": "1" }));
  const pauses = watches.slice(1).map((at, index) => at - (watches[index] ?? 0));
  assert.deepEqual(
    pauses.filter((ms) => ms < 1_000),
    [],
  );
  assert.equal(lists.length, 1);
});
