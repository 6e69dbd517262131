/** The token of a saved session: when it is renewed with a real provider, and when it is returned as it is. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, mock, test } from "node:test";
import type { Session } from "../../src/client/session/session.ts";
import { Sessions } from "../../src/client/session/sessions.ts";
import { KeptToken } from "../../src/client/sign-in/kept-token.ts";
import { CLIENT_ID, PeopleProvider } from "./people-provider.ts";
import { HOUR_MS, SERVER, sessionOf } from "./session.ts";
import { failureOf, signIn } from "./signed-in.ts";

let provider: PeopleProvider;
let directory: string;
let sessions: Sessions;

before(async () => {
  provider = await PeopleProvider.open();
});
after(() => provider[Symbol.asyncDispose]());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-sessions-"));
  sessions = new Sessions(join(directory, "state", "svc"));
  // Mocked time: a token's age doesn't depend on the speed of the machine.
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
});
afterEach(async () => {
  mock.timers.reset();
  provider.watch = () => false;
  await rm(directory, { recursive: true });
});

function keep(session: Session): Promise<void> {
  return sessions.locked(() => sessions.write(session));
}

/** Returns a session from a sign-in that long ago. */
async function signedIn(agoMs: number, scope?: string): Promise<Session> {
  const { grant } = await signIn(provider.issuer, scope === undefined ? {} : { scope });
  const [obtainedMs, expiresMs] = [grant.obtainedMs - agoMs, (grant.expiresMs ?? 0) - agoMs];
  const session = sessionOf({ issuer: provider.issuer, ...grant, obtainedMs, expiresMs });
  await keep(session);
  provider.paths.length = 0;
  return session;
}

const kept = () => new KeptToken(sessions, SERVER, false);
const failing = (path: string, status: number) => {
  provider.watch = (one, response) => {
    if (one === path) response.writeHead(status).end();
    return one === path;
  };
};

test("a token is returned until shortly before it expires, without a request", async () => {
  const { accessToken } = await signedIn(HOUR_MS - 120_000);
  assert.equal(await kept().get(), accessToken);
  assert.deepEqual(provider.paths, []);
});

test("a token is renewed shortly before it expires, once for all callers, and saved before it is used", async () => {
  const before = await signedIn(HOUR_MS - 30_000);
  const [one, two] = [kept(), kept()];
  const tokens = await Promise.all([...Array(10).keys()].map((n) => (n % 2 ? one : two).get()));
  assert.equal(new Set(tokens).size, 1);
  assert.notEqual(tokens[0], before.accessToken);
  assert.equal(provider.count("/token"), 1);
  const after = await sessions.read(SERVER);
  assert.equal(after?.accessToken, tokens[0]);
  assert.notEqual(after?.refreshToken, before.refreshToken);
  assert.deepEqual([after?.issuer, after?.clientId, after?.server], [provider.issuer, CLIENT_ID, SERVER]);
});

test("a token is returned until it expires if the provider is down; then the failure is thrown, without an immediate retry", async () => {
  const session = await signedIn(HOUR_MS - 30_000);
  failing("/token", 503);
  assert.equal(await kept().get(), session.accessToken);
  await keep({ ...session, expiresMs: Date.now() });
  const token = kept();
  const { code, message } = await failureOf(token.get());
  assert.equal(code, "SERVER_UNREACHABLE");
  assert.match(message, /Your session could not be renewed.*--token-file/);
  const asked = provider.count("/token");
  await failureOf(token.get());
  assert.equal(provider.count("/token"), asked);
  provider.watch = () => false;
  assert.notEqual(await kept().get(), session.accessToken, "the refresh token was not lost");
});

test("a token of a session that the provider ended throws LOGIN_REQUIRED with what to do", async () => {
  const { refreshToken = "" } = await signedIn(HOUR_MS);
  const form = new URLSearchParams({ token: refreshToken, client_id: CLIENT_ID });
  await fetch(`${provider.issuer}/token/revocation`, { method: "POST", body: form });
  const { code, message } = await failureOf(kept().get());
  assert.equal(code, "LOGIN_REQUIRED");
  assert.match(message, /has expired.*invalid_grant.*svc login --server controller\.example:9090/);
  assert.ok(!message.includes(refreshToken));
});

test("a token without a refresh token is returned until it expires", async () => {
  const session = await signedIn(HOUR_MS - 30_000, "openid");
  assert.equal(session.refreshToken, undefined);
  assert.equal(await kept().get(), session.accessToken);
  await keep({ ...session, expiresMs: Date.now() });
  assert.equal((await failureOf(kept().get())).code, "LOGIN_REQUIRED");
  assert.deepEqual(provider.paths, []);
});

test("a token that the controller refuses is renewed, unless it was just issued", async () => {
  const { accessToken } = await signedIn(0);
  const token = kept();
  token.refused(accessToken);
  assert.equal(await token.get(), accessToken);
  const session = await signedIn(60_000);
  token.refused("another");
  assert.equal(await token.get(), session.accessToken);
  token.refused(session.accessToken);
  assert.notEqual(await token.get(), session.accessToken);
});

test("a token of a TLS session is never sent unencrypted, even if the session became one in the meantime", async () => {
  const session = await signedIn(0);
  const token = kept();
  await token.get();
  await keep({ ...session, tls: true });
  const { code, message } = await failureOf(token.get());
  assert.equal(code, "INVALID_REQUEST");
  assert.match(message, /over TLS.*unencrypted.*--tls/);
  assert.equal(await new KeptToken(sessions, SERVER, true).get(), session.accessToken);
});

test("a token is gone after a sign-out in the meantime", async () => {
  await signedIn(0);
  const token = kept();
  await token.get();
  await sessions.locked(() => sessions.remove(SERVER));
  assert.equal((await failureOf(token.get())).code, "LOGIN_REQUIRED");
});
