/** Revoked tokens at several controllers on one PostgreSQL: a token revoked at one is rejected by all. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Registry } from "prom-client";
import { Gateway } from "../../src/auth/access/gateway.ts";
import { RevocationList } from "../../src/auth/tokens/revocations.ts";
import type { CallContext } from "../../src/controller/api/operations.ts";
import { LOOK_EVERY_MS, RevocationFeed } from "../../src/controller/tenants/revocation-feed.ts";
import { revocationOperations } from "../../src/controller/tenants/revocations.ts";
import { Job_State, StreamJobsRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { PullWorkRequestSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import {
  LiftRevocationRequestSchema,
  ListRevocationsRequestSchema,
  type Revocation,
  type RevokeTokensRequest,
  RevokeTokensRequestSchema,
} from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Database } from "../../src/store/connection/database.ts";
import { postgresDriver } from "../../src/store/connection/postgres.ts";
import { statement } from "../../src/store/connection/statement.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";
import { realmAt } from "../auth/gateways.ts";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer, signToken } from "../auth/tokens.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { until } from "../waiting.ts";
import { caller, Peer } from "./peer.ts";
import { LOG, refused, System, wrapped } from "./system.ts";

type Wanted = Exclude<MessageInitShape<typeof RevokeTokensRequestSchema>, RevokeTokensRequest>;
type Thing = NonNullable<Wanted["what"]>;

let cluster: PostgresCluster;
let keyServer: KeyServer;
let signer: Signer;
let one: Door;
let other: Door;
/** Receives no announcements. */
let deaf: Door;
const open: Door[] = [];

/** A controller and its gateway. */
class Door {
  readonly system: System;
  readonly gateway: Gateway;

  constructor(system: System) {
    this.system = system;
    this.gateway = new Gateway({
      ...{ realms: () => realms, revocations: system.revocations, clockSkewMs: 30_000, log: LOG },
      registry: new Registry(),
      now: Date.now,
    });
    open.push(this);
  }

  /** "OK", or the error code. */
  async answers(token: string): Promise<string> {
    return this.gateway.authenticate(`Bearer ${token}`).then(
      () => "OK",
      (thrown: unknown) => Failure.from(thrown).code,
    );
  }

  async untilAnswered(token: string, code: string): Promise<void> {
    await until(async () => (await this.answers(token)) === code, `the token to be answered ${code}`);
  }

  async revoke(tenant: string, wanted: Wanted): Promise<Revocation> {
    const request = create(RevokeTokensRequestSchema, wanted);
    const { revocation } = await this.system.controller.tenants.revokeTokens(request, caller(tenant));
    assert.ok(revocation);
    return revocation;
  }

  async lift(tenant: string, id: string): Promise<void> {
    const request = create(LiftRevocationRequestSchema, { id });
    await this.system.controller.tenants.liftRevocation(request, caller(tenant));
  }

  async list(tenant: string, over: MessageInitShape<typeof ListRevocationsRequestSchema> = {}) {
    const request = create(ListRevocationsRequestSchema, over);
    return this.system.controller.tenants.listRevocations(request, caller(tenant));
  }
}

const realms: ReturnType<typeof realmAt>[] = [];

async function door(instead: (store: Store) => Partial<Store> = () => ({}), url = cluster.url("svc")) {
  const store = await openStore({ databaseUrl: url }, LOG);
  return new Door(new System(wrapped(store, instead(store)), {}, async () => store.close()));
}

const seconds = (ago = 0) => Math.floor(Date.now() / 1000) - ago;
const token = (tid: string, claims: object = {}) =>
  signToken(signer, { tid, exp: seconds() + 600, iat: seconds(5), ...claims });

before(async () => {
  // One test kills the server.
  cluster = await PostgresCluster.start({ durable: true });
  await cluster.createDatabase("svc");
  signer = newSigner("one");
  keyServer = await KeyServer.open(keys(signer));
  realms.push(realmAt(keyServer.url));
  [one, other] = [await door(), await door()];
  deaf = await door(() => ({ onAnnouncement: () => () => {} }));
  for (const each of open) await each.untilAnswered(token("nobody"), "OK");
});
after(async () => {
  for (const { gateway, system } of open) {
    gateway.close();
    await system.close();
  }
  await keyServer.close();
  await cluster[Symbol.asyncDispose]();
});

const things: readonly [what: string, wanted: () => Thing, claims: object][] = [
  ["a token id", () => ({ case: "tokenId", value: "the id" }), { jti: "the id" }],
  ["a subject", () => ({ case: "subject", value: "alice" }), {}],
  ["tokens issued before now", () => ({ case: "issuedBefore", value: timestampFromMs(Date.now()) }), {}],
];
for (const [index, [what, wanted, claims]] of things.entries()) {
  test(`${what}: rejected at once where it was revoked, soon everywhere, and accepted again when lifted`, async () => {
    const tenant = `tenant ${index}`;
    const [bad, theirs] = [token(tenant, claims), token("another", claims)];
    for (const each of open) assert.equal(await each.answers(bad), "OK");
    const { id } = await one.revoke(tenant, { what: wanted(), reason: "lost" });
    assert.equal(await one.answers(bad), "TOKEN_REVOKED");
    for (const each of [other, deaf]) await each.untilAnswered(bad, "TOKEN_REVOKED");
    for (const each of open) assert.equal(await each.answers(theirs), "OK");
    const [listed] = (await deaf.list(tenant)).revocations;
    assert.deepEqual([listed?.id, listed?.reason, listed?.revokedBy], [id, "lost", `user of ${tenant}`]);
    await other.lift(tenant, id);
    assert.equal(await other.answers(bad), "OK");
    for (const each of [one, deaf]) await each.untilAnswered(bad, "OK");
    assert.deepEqual((await one.list(tenant)).revocations, []);
  });
}

/** A store whose changes are read once at the start, and then only after a notification: polls find none. */
function changesOnlyAfterNotifications(store: Store): Partial<Store> {
  let isNew = true;
  return {
    onAnnouncement: (listener) =>
      store.onAnnouncement((announcement) => {
        isNew ||= announcement.kind === "revocations";
        listener(announcement);
      }),
    revocations: {
      ...store.revocations,
      changes: async (after, limit) => {
        const none = !isNew;
        isNew = false;
        const page = await store.revocations.changes(after, limit);
        return none ? { ...page, changes: [], latest: after, reached: after } : page;
      },
    },
  };
}

test("the other controllers are notified, and apply it without waiting for their next poll", async (context) => {
  const notified = await door((store) => changesOnlyAfterNotifications(store));
  open.pop();
  context.after(async () => {
    notified.gateway.close();
    await notified.system.close();
  });
  const bearer = token("announced");
  await notified.untilAnswered(bearer, "OK");
  const { id } = await one.revoke("announced", { what: { case: "subject", value: "alice" } });
  await notified.untilAnswered(bearer, "TOKEN_REVOKED");
  await other.lift("announced", id);
  await notified.untilAnswered(bearer, "OK");
});

test("a controller that is not notified polls as often as documented, twice within the promised second", async () => {
  const text = await readFile(new URL("../../docs/revocation.md", import.meta.url), "utf8");
  const [, every] = /every controller looks for changes every (\d+) ms/.exec(text) ?? [];
  assert.equal(Number(every), LOOK_EVERY_MS);
  assert.ok(LOOK_EVERY_MS <= 500);
});

test("a stream open at another controller ends with the code", async () => {
  const bearer = token("streams");
  const readmit = () => other.gateway.authenticate(`Bearer ${bearer}`);
  const context: CallContext = { ...caller("streams"), readmit };
  const stream = other.system.jobs.streamJobs(create(StreamJobsRequestSchema), context);
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  const next = refused(events.next(), "TOKEN_REVOKED");
  await one.revoke("streams", { what: { case: "subject", value: "alice" } });
  await next;
});

/** A call at the other controller by a caller with a token. */
function callOf(tenant: string, bearer: string): CallContext {
  return { ...caller(tenant), readmit: () => other.gateway.authenticate(`Bearer ${bearer}`) };
}

test("a pull held at another controller gets no task, and the next node gets it as if it had never been leased", async () => {
  const tenant = "pulls";
  const bearer = token(tenant);
  const node = await Peer.register(other.system.nodes, tenant);
  const pull = (context: CallContext) =>
    other.system.nodes.pullWork(
      create(PullWorkRequestSchema, { session: node.session, waitMs: 60_000 }),
      context,
    );
  const held = refused(pull(callOf(tenant, bearer)), "TOKEN_REVOKED");
  await one.revoke(tenant, { what: { case: "subject", value: "alice" } });
  await other.untilAnswered(bearer, "TOKEN_REVOKED");
  const { job } = await one.system.submit(tenant);
  await held;
  // A caller whose token expired meanwhile pulls again with a new one.
  const context: CallContext = {
    ...caller(tenant),
    readmit: async () => {
      throw new Failure("TOKEN_EXPIRED", "The token has expired.");
    },
  };
  assert.equal((await pull(context)).item, undefined);
  const { item } = await pull(callOf(tenant, token(tenant, { sub: "bob" })));
  assert.equal(item?.jobId, job.id);
  assert.equal((await one.system.job(tenant, job.id)).retries, 0);
});

test("a wait for a score at another controller ends with the code, and its job continues", async () => {
  const tenant = "waits";
  const bearer = token(tenant);
  const { job } = await one.system.submit(tenant);
  const options = { waitMs: 600_000, keep: false };
  const wait = refused(
    other.system.jobs.waitForJob(job.id, options, callOf(tenant, bearer)),
    "TOKEN_REVOKED",
  );
  await one.revoke(tenant, { what: { case: "subject", value: "alice" } });
  await wait;
  assert.equal((await one.system.job(tenant, job.id)).state, Job_State.QUEUED);
  const node = await Peer.register(one.system.nodes, tenant);
  await node.work(60);
  await one.system.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
  // The result is already there; the caller is checked last.
  await refused(other.system.jobs.waitForJob(job.id, options, callOf(tenant, bearer)), "TOKEN_REVOKED");
  const disabled = async () => {
    throw new Failure("TENANT_DISABLED", "The token's tenant is disabled.");
  };
  const context = { ...caller(tenant), readmit: disabled };
  await refused(other.system.jobs.waitForJob(job.id, options, context), "TENANT_DISABLED");
  const expired = callOf(tenant, token(tenant, { exp: seconds(1) }));
  assert.equal((await other.system.jobs.waitForJob(job.id, options, expired)).done, true);
});

test("an administrator can revoke itself, and another one lifts it", async () => {
  const own = token("self", { sub: "user of self", svc_roles: ["svc:admin"] });
  const { id } = await one.revoke("self", { what: { case: "subject", value: "user of self" } });
  assert.equal(await one.answers(own), "TOKEN_REVOKED");
  assert.equal(await one.answers(token("self", { sub: "second" })), "OK");
  await one.lift("self", id);
  assert.equal(await one.answers(own), "OK");
});

test("another tenant neither sees nor lifts a revocation", async () => {
  const { id } = await one.revoke("mine", { what: { case: "subject", value: "alice" } });
  assert.deepEqual((await one.list("yours")).revocations, []);
  await refused(one.lift("yours", id), "REVOCATION_NOT_FOUND");
  await refused(one.lift("mine", "none"), "REVOCATION_NOT_FOUND");
  assert.equal(await one.answers(token("mine")), "TOKEN_REVOKED");
});

const faults: readonly [what: string, wanted: Wanted][] = [
  ["nothing", {}],
  ["an empty subject", { what: { case: "subject", value: "" } }],
  ["an id that is too long", { what: { case: "tokenId", value: "x".repeat(257) } }],
  ["a subject with a line break", { what: { case: "subject", value: "a\nb" } }],
  ["half a character", { what: { case: "subject", value: "\ud800" } }],
  ["the future", { what: { case: "issuedBefore", value: timestampFromMs(Date.now() + 3_600_000) } }],
  ["the time before 1970", { what: { case: "issuedBefore", value: { seconds: -1n, nanos: 0 } } }],
  ["no time at all", { what: { case: "issuedBefore", value: { seconds: 2n ** 62n, nanos: 0 } } }],
  ["an end in the past", { what: { case: "subject", value: "a" }, expireTime: timestampFromMs(Date.now()) }],
  ["a long reason", { what: { case: "subject", value: "a" }, reason: "x".repeat(257) }],
  ["a reason with an escape", { what: { case: "subject", value: "a" }, reason: "\x1b[2J" }],
];
for (const [what, wanted] of faults) {
  test(`refuses to revoke ${what}`, async () => {
    await refused(one.revoke("faults", wanted), "INVALID_REQUEST");
    assert.deepEqual((await one.list("faults")).revocations, []);
  });
}

test("the list comes in pages", async () => {
  for (let n = 0; n < 5; n++) await one.revoke("pages", { what: { case: "tokenId", value: `${n}` } });
  const values: unknown[] = [];
  let pageToken = "";
  do {
    const page = await other.list("pages", { pageSize: 2, pageToken });
    assert.ok(page.revocations.length <= 2);
    values.push(...page.revocations.map(({ what }) => what.value));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  assert.deepEqual(values, ["4", "3", "2", "1", "0"]);
  await refused(one.list("pages", { pageSize: 501 }), "INVALID_REQUEST");
  await refused(one.list("pages", { pageToken: "rubbish" }), "INVALID_REQUEST");
});

test("a tenant that revokes continuously holds up no other", async () => {
  const locked = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const database = new Database(postgresDriver(cluster.url("svc")));
  // As long as a change of the tenant would take if it were slow.
  const holding = database.transaction("owner", async (sender) => {
    await sender.query(statement("set local idle_in_transaction_session_timeout = 0"), []);
    await sender.query(
      statement(`select pg_advisory_xact_lock(${String(0x72_76_6b)}, hashtext('flood'))`),
      [],
    );
    locked.resolve();
    await done.promise;
  });
  await locked.promise;
  const flood = Array.from({ length: 100 }, (_, n) =>
    one.revoke("flood", { what: { case: "tokenId", value: `${n}` } }),
  );
  await one.revoke("calm", { what: { case: "subject", value: "alice" } });
  assert.equal(await one.answers(token("calm")), "TOKEN_REVOKED");
  assert.deepEqual((await one.list("flood")).revocations, []);
  done.resolve();
  await Promise.all([holding, ...flood]);
  assert.equal((await one.list("flood", { pageSize: 500 })).revocations.length, 100);
  await database.close();
});

describe("a full list", () => {
  const ENTRIES = 10_000;
  before(() =>
    cluster.admin(
      `with next as (update svc.revocation_revision set latest = latest + ${ENTRIES} returning latest - ${ENTRIES} as before)
      insert into svc.revocation (id, tenant_id, kind, value, reason, revoked_by, created_at, revision)
      select gen_random_uuid(), 'full', 'TOKEN_ID', 'token ' || n, '', '', now(), before + n
      from next, generate_series(1, ${ENTRIES}) n`,
      "svc",
    ),
  );

  test("is known to running controllers and to one that starts", async () => {
    const late = await door();
    for (const each of [one, deaf, late]) {
      for (const n of [1, 2_000, 2_001, ENTRIES])
        await each.untilAnswered(token("full", { jti: `token ${n}` }), "TOKEN_REVOKED");
      assert.equal(await each.answers(token("full", { jti: "token 0" })), "OK");
      assert.ok((await each.system.metric("svc_revocations")) >= ENTRIES);
    }
  });

  test("accepts no more entries of its tenant, and all of another one", async () => {
    const what = { case: "tokenId", value: "one more" } as const;
    const failure = await refused(one.revoke("full", { what }), "TOO_MANY_REVOCATIONS");
    assert.match(failure.message, /10000 revocations/);
    assert.equal(await one.answers(token("full", { jti: "one more" })), "OK");
    const known = await one.revoke("full", { what: { case: "tokenId", value: "token 7" } });
    await one.revoke("empty", { what });
    await one.lift("full", known.id);
    await one.revoke("full", { what });
    assert.equal(await one.answers(token("full", { jti: "one more" })), "TOKEN_REVOKED");
    assert.equal(await one.answers(token("full", { jti: "token 7" })), "OK");
  });
});

test("no token is accepted until the list was read; then all valid ones are", async () => {
  const asked = Promise.withResolvers<void>();
  const readable = Promise.withResolvers<void>();
  const starting = await door((store) => ({
    revocations: wrappedRevocations(store, async (...call) => {
      asked.resolve();
      await readable.promise;
      return store.revocations.changes(...call);
    }),
  }));
  await asked.promise;
  assert.equal(await starting.answers(token("any")), "STORE_UNAVAILABLE");
  assert.equal(await starting.answers(token("any", { exp: seconds(1) })), "TOKEN_EXPIRED");
  readable.resolve();
  await starting.untilAnswered(token("any"), "OK");
});

function wrappedRevocations(store: Store, changes: Store["revocations"]["changes"]): Store["revocations"] {
  return new Proxy(store.revocations, {
    get: (target, key) => {
      const method: unknown = key === "changes" ? changes : Reflect.get(target, key);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

test("without authentication nothing can be revoked; old entries can be listed and lifted", async () => {
  const { store } = one.system;
  const { id } = await one.revoke("dev", { what: { case: "subject", value: "alice" } });
  const service = revocationOperations({ store, revocations: undefined, clockSkewMs: 0 });
  const wanted = create(RevokeTokensRequestSchema, { what: { case: "subject", value: "bob" } });
  await refused(service.revokeTokens(wanted, caller("dev")), "AUTH_DISABLED");
  const { revocations } = await service.listRevocations(create(ListRevocationsRequestSchema), caller("dev"));
  assert.deepEqual(
    revocations.map((entry) => entry.id),
    [id],
  );
  await service.liftRevocation(create(LiftRevocationRequestSchema, { id }), caller("dev"));
  await other.untilAnswered(token("dev"), "OK");
});

test("a token that the operator lifts in the database is accepted again", async () => {
  await one.revoke("acme", { what: { case: "subject", value: "alice" } });
  await deaf.untilAnswered(token("acme"), "TOKEN_REVOKED");
  const text = await readFile(new URL("../../docs/revocation.md", import.meta.url), "utf8");
  const [, sql] = /```sql\n(.*?)```/s.exec(text) ?? [];
  assert.ok(sql);
  await cluster.admin(sql, "svc");
  for (const each of open) await each.untilAnswered(token("acme"), "OK");
});

test("changes that are no longer available are found by reading the whole list", async () => {
  await one.revoke("restored", { what: { case: "subject", value: "alice" } });
  await deaf.untilAnswered(token("restored"), "TOKEN_REVOKED");
  const remove = "delete from svc.revocation where tenant_id = 'restored'";
  const forget = "update svc.revocation_revision set latest = latest + 9, forgotten = latest + 9";
  await cluster.admin(`${remove}; ${forget}`, "svc");
  await deaf.untilAnswered(token("restored"), "OK");
  await one.revoke("restored", { what: { case: "subject", value: "alice" } });
  await deaf.untilAnswered(token("restored"), "TOKEN_REVOKED");
  // As if the database were restored from an hour ago.
  await cluster.admin(`${remove}; update svc.revocation_revision set latest = latest - 1`, "svc");
  for (const each of [one, deaf]) await each.untilAnswered(token("restored"), "OK");
});

test("an unavailable store leaves the list unchanged, and later changes are known when it is back", async () => {
  const [bad, later] = [token("outage"), token("outage", { sub: "later" })];
  await one.revoke("outage", { what: { case: "subject", value: "alice" } });
  await deaf.untilAnswered(bad, "TOKEN_REVOKED");
  // All connections have ended when it returns; some of a killed server still answer for a moment.
  await cluster.stop("SIGQUIT");
  const list = new RevocationList();
  const feed = new RevocationFeed({ store: one.system.store, list, log: LOG });
  await refused(feed.refresh(), "STORE_UNAVAILABLE");
  assert.equal(list.size, undefined);
  await refused(one.revoke("outage", { what: { case: "subject", value: "later" } }), "STORE_UNAVAILABLE");
  for (const each of [one, deaf]) {
    assert.equal(await each.answers(bad), "TOKEN_REVOKED");
    assert.equal(await each.answers(later), "OK");
  }
  await cluster.run();
  await until(
    () =>
      one.revoke("outage", { what: { case: "subject", value: "later" } }).then(
        () => true,
        () => false,
      ),
    "the store to be back",
  );
  for (const each of [one, other, deaf]) await each.untilAnswered(later, "TOKEN_REVOKED");
  await feed.refresh();
  assert.ok((list.size ?? 0) >= 10_000);
});
