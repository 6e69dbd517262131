/** Client credentials tokens from a real provider: fetching, renewal, secret rotation and outages. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import { openTokens } from "../../src/client/tokens/settings.ts";
import type { TokenSource } from "../../src/client/tokens/token.ts";
import type { Failure } from "../../src/platform/failure.ts";
import { until } from "../waiting.ts";
import { CLIENT_ID, type IssuingOptions, IssuingProvider } from "./issuing.ts";

/** Contains characters that must be encoded in a header. */
const SECRET = "first: a+b/c=%20";
const ROTATED = "second-secret";
/** Seconds. Tokens with this lifetime are not renewed during a test. */
const LONG = 3600;
const SHORT = 3;

let directory: string;
let secretFile: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-credentials-"));
  secretFile = join(directory, "secret");
});
after(() => rm(directory, { recursive: true }));

interface Client extends Disposable {
  readonly tokens: TokenSource;
  readonly failures: Failure[];
}

/** A provider that knows the secret in its file. */
async function issuing(options: Partial<IssuingOptions> = {}): Promise<IssuingProvider> {
  await writeFile(secretFile, `${SECRET}\n`);
  return IssuingProvider.open({ secret: SECRET, lifeSeconds: LONG, ...options });
}

function clientOf(provider: IssuingProvider, more: { oidcScope?: string } = {}): Client {
  const failures: Failure[] = [];
  const settings = {
    oidcTokenUrl: provider.tokenUrl,
    oidcClientId: CLIENT_ID,
    oidcClientSecretFile: secretFile,
    ...more,
  };
  const tokens = openTokens(settings, (failure) => failures.push(failure));
  assert.ok(tokens);
  return { tokens, failures, [Symbol.dispose]: () => tokens[Symbol.dispose]() };
}

function textOf(failures: readonly Failure[]): string {
  return JSON.stringify(failures.map((failure) => [failure.message, failure.found, String(failure.cause)]));
}

test("sends one request for concurrent callers and reuses the token until its renewal", async () => {
  await using provider = await issuing();
  using client = clientOf(provider);
  const tokens = await Promise.all(Array.from({ length: 50 }, () => client.tokens.get()));
  assert.equal(new Set(tokens).size, 1);
  assert.equal(await client.tokens.get(), tokens[0]);
  assert.equal(provider.requests, 1);
  const claims = decodeJwt(tokens[0] ?? "");
  assert.equal(claims["client_id"], CLIENT_ID);
  assert.equal(claims["scope"], undefined);
});

test("requests the configured scope", async () => {
  await using provider = await issuing();
  using client = clientOf(provider, { oidcScope: "score" });
  assert.equal(decodeJwt(await client.tokens.get())["scope"], "score");
});

test("renews a token before it expires, without blocking callers", async () => {
  await using provider = await issuing({ lifeSeconds: SHORT });
  using client = clientOf(provider);
  const first = await client.tokens.get();
  const { exp = 0 } = decodeJwt(first);
  // Even if the next token is checked late, it must not be due as well.
  provider.lifeSeconds = LONG;
  await until(async () => {
    const asked = Date.now();
    const token = await client.tokens.get();
    if (token === first) assert.ok(asked < exp * 1000, "returns no expired token");
    return token !== first;
  }, "the next token");
  assert.equal(provider.requests, 2);
});

test("uses the old token during an outage, then reports the failure, then returns a new token", async () => {
  await using provider = await issuing({ lifeSeconds: SHORT });
  using client = clientOf(provider);
  const first = await client.tokens.get();
  const started = Date.now();
  await provider.cut();
  await until(async () => {
    // The failed renewal is not visible until the token expires.
    const token = await client.tokens.get().catch((failure: unknown) => failure);
    if (typeof token === "string") assert.equal(token, first);
    return typeof token !== "string";
  }, "the old token to expire");
  const seconds = (Date.now() - started) / 1000;
  assert.ok(client.failures.length > 0, "a renewal was tried before the expiry");
  assert.ok(client.failures.length <= seconds + 1, "at most one attempt per second");
  await assert.rejects(client.tokens.get(), { code: "SERVER_UNREACHABLE", message: /ECONNREFUSED/ });
  await provider.listen({ secret: SECRET, lifeSeconds: LONG });
  await until(async () => {
    const token = await client.tokens.get().catch(() => first);
    return token !== first;
  }, "a new token to arrive");
  assert.doesNotMatch(textOf(client.failures), /first:|eyJ/);
});

test("names a rejected secret without printing it, and uses the new one from the file", async () => {
  await using provider = await issuing({ lifeSeconds: SHORT });
  using client = clientOf(provider);
  const first = await client.tokens.get();
  await provider.cut();
  await provider.listen({ secret: ROTATED, lifeSeconds: LONG });
  await until(async () => {
    await client.tokens.get().catch(() => {});
    return client.failures.length > 0;
  }, "a renewal to fail");
  const [failure] = client.failures;
  assert.equal(failure?.code, "TOKEN_MISSING");
  assert.match(failure.message, /invalid_client.*--oidc-client-secret-file/);
  await writeFile(secretFile, ROTATED);
  await until(async () => {
    const token = await client.tokens.get().catch(() => first);
    return token !== first;
  }, "a token with the new secret");
  assert.doesNotMatch(textOf(client.failures), /first:|second-secret|eyJ/);
});

test("keeps a token that the controller refused for a while, then fetches a new one", async (context) => {
  // Time is simulated.
  const now = Date.now();
  context.mock.timers.enable({ apis: ["Date"], now });
  await using provider = await issuing();
  using client = clientOf(provider);
  const first = await client.tokens.get();
  client.tokens.refused(first);
  assert.equal(await client.tokens.get(), first, "no request for every refusal");
  context.mock.timers.setTime(now + 60_000);
  client.tokens.refused("another");
  assert.equal(await client.tokens.get(), first);
  client.tokens.refused(first);
  assert.notEqual(await client.tokens.get(), first);
  assert.equal(provider.requests, 2);
});
