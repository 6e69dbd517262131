/** Sign-in by browser with a real provider, and forged callbacks. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { after, afterEach, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { visit } from "./browser.ts";
import { AUDIENCE, CLIENT_ID, PERSON, PeopleProvider } from "./people-provider.ts";
import { begin, failureOf, type SigningIn, signIn } from "./signed-in.ts";

let provider: PeopleProvider;

before(async () => {
  provider = await PeopleProvider.open();
});
after(() => provider[Symbol.asyncDispose]());
afterEach(() => {
  provider.denies = false;
  provider.watch = () => false;
});

/** Returns the callback address with the provider's response. */
async function answered({ url }: SigningIn): Promise<URL> {
  const { urls } = await visit(url, (one) => one.includes("/callback?"));
  return new URL(urls.at(-1) ?? "");
}

function redirectUri({ url }: SigningIn): URL {
  return new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
}

interface Sent {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | readonly string[]>;
}

/** Sends a request as any process on this machine could. */
function send(url: URL, method = "GET", headers: Readonly<Record<string, string>> = {}): Promise<Sent> {
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const sending = request(url, { method, headers, agent: false }, (response) => {
    const { statusCode: status, headers: shown } = response;
    text(response).then((body) => resolve({ status, body, headers: shown }), reject);
  });
  sending.on("error", reject).end();
  return promise;
}

test("a sign-in yields an access token, a refresh token and a success page", async () => {
  const { grant, visited } = await signIn(provider.issuer);
  const { sub, aud, client_id } = decodeJwt(grant.accessToken);
  assert.deepEqual([sub, aud, client_id], [PERSON, AUDIENCE, CLIENT_ID]);
  assert.ok(grant.refreshToken);
  assert.equal((grant.expiresMs ?? 0) - grant.obtainedMs, 3_600_000);
  assert.equal(visited.status, 200);
  assert.match(visited.text, /Signed in.*You can close this window/s);
});

test("each request has a new PKCE challenge, state and nonce, and its own loopback port", async () => {
  const ends = new AbortController();
  const [one, two] = [
    await begin(provider.issuer, { signal: ends.signal }),
    await begin(provider.issuer, { signal: ends.signal }),
  ];
  const parameters = new URL(one.url).searchParams;
  assert.equal(parameters.get("response_type"), "code");
  assert.equal(parameters.get("code_challenge_method"), "S256");
  assert.equal(parameters.get("scope"), "openid offline_access");
  for (const name of ["state", "nonce", "code_challenge", "redirect_uri"]) {
    const values = [one, two].map(({ url }) => new URL(url).searchParams.get(name));
    assert.ok(values[0] && values[1] && values[0] !== values[1], name);
  }
  const { hostname, pathname } = redirectUri(one);
  assert.deepEqual([hostname, pathname], ["127.0.0.1", "/callback"]);
  ends.abort();
  await Promise.all([one, two].map(({ grant }) => assert.rejects(grant, { name: "AbortError" })));
});

test("has no nonce without openid, and no refresh token without offline_access", async () => {
  const plain = await signIn(provider.issuer, { scope: "offline_access" });
  assert.equal(new URL(plain.visited.urls[0] ?? "").searchParams.get("nonce"), null);
  assert.ok(plain.grant.refreshToken);
  const { grant } = await signIn(provider.issuer, { scope: "openid" });
  assert.equal(grant.refreshToken, undefined);
});

test("a browser that disconnects before the final page blocks nothing", async () => {
  const signingIn = await begin(provider.issuer);
  const callback = await answered(signingIn);
  const waiting = request(callback, { agent: false }).on("error", () => {});
  provider.watch = async (path) => {
    if (path !== "/token") return false;
    waiting.destroy();
    // The sign-in has ended by now.
    assert.equal((await send(callback)).status, 409);
    return false;
  };
  waiting.end();
  assert.ok((await signingIn.grant).accessToken);
});

describe("a forged callback", () => {
  test("is rejected and reported, and changes nothing", async () => {
    const signingIn = await begin(provider.issuer);
    const base = redirectUri(signingIn);
    const state = new URL(signingIn.url).searchParams.get("state") ?? "";
    const at = (path: string) => new URL(path, base);
    const forged = [
      "?code=x",
      "?code=x&state=",
      "?code=x&state=wrong",
      `?code=x&state=${state}&state=${state}`,
    ];
    for (const query of [...forged, `?error=access_denied&state=${"x".repeat(state.length)}`]) {
      const { status, body, headers } = await send(at(`/callback${query}`));
      assert.equal(status, 400, query);
      assert.ok(!body.includes(state));
      assert.equal(headers["cache-control"], "no-store");
      assert.match(String(headers["content-security-policy"]), /default-src 'none'/);
    }
    assert.equal(signingIn.forged, 5);
    const right = at(`/callback?code=x&state=${state}`);
    assert.equal((await send(right, "POST")).status, 404);
    assert.equal((await send(right, "GET", { host: "evil.example" })).status, 404);
    assert.equal((await send(at(`/other?code=x&state=${state}`))).status, 404);
    assert.equal((await send(at("/favicon.ico"))).status, 404);
    assert.equal((await visit(signingIn.url)).status, 200);
    assert.ok((await signingIn.grant).accessToken);
  });

  test("is too late while the real callback is processed", async () => {
    const signingIn = await begin(provider.issuer);
    const callback = await answered(signingIn);
    let second: Sent | undefined;
    provider.watch = async (path) => {
      if (path === "/token") second = await send(callback);
      return false;
    };
    assert.equal((await send(callback)).status, 200);
    assert.equal(second?.status, 409);
    assert.ok((await signingIn.grant).accessToken);
    await assert.rejects(send(callback), { code: "ECONNREFUSED" });
  });
});

describe("a sign-in fails with a reason", () => {
  async function refusedFor(change: (callback: URL) => void): Promise<string> {
    const signingIn = await begin(provider.issuer);
    const callback = await answered(signingIn);
    change(callback);
    const { status, body } = await send(callback);
    assert.equal(status, 400);
    assert.match(body, /The terminal shows why/);
    const { code, message, cause } = await failureOf(signingIn.grant);
    assert.equal(code, "LOGIN_FAILED");
    const secret = callback.searchParams.get("code") ?? "no code";
    assert.ok(!`${message} ${String(cause)}`.includes(secret), message);
    return message;
  }

  test("if the person does not consent", async () => {
    provider.denies = true;
    assert.match(await refusedFor(() => {}), /access_denied, The person said no/);
  });

  test("if another provider answers in its place", async () => {
    await refusedFor(({ searchParams }) => searchParams.set("iss", "https://evil.example"));
    await refusedFor(({ searchParams }) => searchParams.delete("iss"));
  });

  test("if the ID token belongs to another sign-in", async () => {
    const signingIn = await begin(provider.issuer);
    // State, code and PKCE belong to this sign-in; the provider puts the nonce of its request into the ID token.
    const url = new URL(signingIn.url);
    url.searchParams.set("nonce", "of-another-sign-in");
    const { status, text: page } = await visit(url.href);
    assert.equal(status, 400);
    assert.match(page, /The terminal shows why/);
    const { code, message } = await failureOf(signingIn.grant);
    assert.equal(code, "LOGIN_FAILED");
    assert.match(message, /nonce/);
  });

  test("if the provider does not know the code", async () => {
    const message = await refusedFor(({ searchParams }) => searchParams.set("code", "stolen-from-elsewhere"));
    assert.match(message, /invalid_grant/);
  });

  test("if the provider fails at the end", async () => {
    const signingIn = await begin(provider.issuer);
    provider.watch = (path, response) => {
      if (path === "/token") response.writeHead(503).end();
      return path === "/token";
    };
    assert.equal((await visit(signingIn.url)).status, 400);
    assert.equal((await failureOf(signingIn.grant)).code, "SERVER_UNREACHABLE");
  });

  test("if its port is in use", async () => {
    const port = Number(new URL(provider.issuer).port);
    const { code, message } = await failureOf(begin(provider.issuer, { port }));
    assert.equal(code, "INVALID_REQUEST");
    assert.match(message, /Failed to listen on --port \d+: address already in use\./);
  });

  test("immediately when the signal aborts, and stops listening", async () => {
    const ends = new AbortController();
    const signingIn = await begin(provider.issuer, { signal: ends.signal });
    const reason = new Error("enough");
    ends.abort(reason);
    await assert.rejects(signingIn.grant, reason);
    await assert.rejects(send(redirectUri(signingIn)), { code: "ECONNREFUSED" });
  });
});
