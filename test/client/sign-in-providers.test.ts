/** Sign-in by device, and providers with unusual, wrong or missing responses. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import type { Grant } from "../../src/client/session/session.ts";
import { type DeviceCode, signInByDevice } from "../../src/client/sign-in/device.ts";
import { discover } from "../../src/client/sign-in/provider.ts";
import { visit } from "./browser.ts";
import { CLIENT_ID, PERSON, PeopleProvider } from "./people-provider.ts";
import { failureOf, NEVER } from "./signed-in.ts";

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

/** A provider with scripted responses per path; the last one is repeated. */
class Scripted implements AsyncDisposable {
  issuer = "";
  /** Times in milliseconds of the requests to a path. */
  readonly asked: { readonly path: string; readonly atMs: number; readonly form: URLSearchParams }[] = [];
  readonly answers: Record<string, Answer[]> = {};
  readonly #server = createServer((request, response) => void this.#hear(request, response));

  static async open(more: object = {}): Promise<Scripted> {
    const scripted = new Scripted();
    scripted.#server.listen(0, "127.0.0.1");
    await once(scripted.#server, "listening");
    const issuer = `http://127.0.0.1:${(scripted.#server.address() as AddressInfo).port}`;
    scripted.issuer = issuer;
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      device_authorization_endpoint: `${issuer}/device`,
      ...more,
    };
    scripted.answers["/.well-known/openid-configuration"] = [{ body: document }];
    return scripted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    this.asked.push({ path, atMs: performance.now(), form: new URLSearchParams(await text(request)) });
    const answers = this.answers[path] ?? [];
    const { status = 200, body } = (answers.length > 1 ? answers.shift() : answers[0]) ?? { body: undefined };
    if (body === undefined) return;
    const type = typeof body === "string" ? "text/html" : "application/json";
    response.writeHead(status, { "content-type": type, location: "/elsewhere" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }
}

const GRANTED = { access_token: "an.access.token", token_type: "Bearer", expires_in: 60 };
const refusal = (error: string): Answer => ({ status: 400, body: { error } });

function deviceAnswer(issuer: string, more: object = {}): Answer {
  const body = { device_code: "the-device-code", user_code: "ABCD", verification_uri: `${issuer}/go` };
  return { body: { ...body, expires_in: 600, interval: 0.05, ...more } };
}

interface ByDevice {
  readonly grant: Promise<Grant>;
  readonly code: Promise<DeviceCode>;
}

async function byDevice(issuer: string, signal = NEVER): Promise<ByDevice> {
  const provider = await discover({ issuer, clientId: CLIENT_ID }, signal);
  const { promise: code, resolve: onCode } = Promise.withResolvers<DeviceCode>();
  const grant = signInByDevice(provider, { issuer, clientId: CLIENT_ID, onCode, signal });
  grant.catch(() => {});
  return { grant, code };
}

describe("by device", () => {
  let provider: PeopleProvider;
  before(async () => {
    provider = await PeopleProvider.open();
  });
  after(() => provider[Symbol.asyncDispose]());

  test("a person signs in on another device, and another one declines", async () => {
    const yes = await byDevice(provider.issuer);
    assert.equal((await visit((await yes.code).completeUrl ?? "")).text, "signed in");
    const no = await byDevice(provider.issuer);
    provider.denies = true;
    await visit((await no.code).completeUrl ?? "");
    const { accessToken, refreshToken } = await yes.grant;
    assert.equal(decodeJwt(accessToken).sub, PERSON);
    assert.ok(refreshToken);
    const { code, message } = await failureOf(no.grant);
    assert.equal(code, "LOGIN_FAILED");
    assert.match(message, /access_denied/);
  });

  test("reports a provider that lacks the flow or refuses it to the client", async () => {
    await using other = await PeopleProvider.open({ everything: false });
    assert.match((await failureOf((await byDevice(other.issuer)).grant)).message, /Leave out --device/);
    await using scripted = await Scripted.open();
    scripted.answers["/device"] = [refusal("unauthorized_client")];
    const { code, message } = await failureOf((await byDevice(scripted.issuer)).grant);
    assert.equal(code, "LOGIN_FAILED");
    assert.match(message, /unauthorized_client\. Enable this sign-in flow for the client/);
  });

  test("polls at the provider's interval, and through an outage", async () => {
    await using scripted = await Scripted.open();
    scripted.answers["/device"] = [deviceAnswer(scripted.issuer)];
    scripted.answers["/token"] = [
      { status: 503, body: "busy" },
      refusal("authorization_pending"),
      refusal("slow_down"),
      { body: GRANTED },
    ];
    const { accessToken } = await (await byDevice(scripted.issuer)).grant;
    assert.equal(accessToken, GRANTED.access_token);
    const asked = scripted.asked.filter(({ path }) => path === "/token");
    assert.equal(asked.length, 4);
    for (const { form } of asked) assert.equal(form.get("device_code"), "the-device-code");
    const [, , third, last] = asked.map(({ atMs }) => atMs);
    assert.ok((last ?? 0) - (third ?? 0) >= 5_000, "slow_down means five seconds more");
  });

  test("an expired code ends it, whether the provider or the clock says so", async () => {
    await using scripted = await Scripted.open();
    scripted.answers["/device"] = [deviceAnswer(scripted.issuer)];
    scripted.answers["/token"] = [refusal("expired_token")];
    assert.match((await failureOf((await byDevice(scripted.issuer)).grant)).message, /expired_token/);
    scripted.answers["/device"] = [deviceAnswer(scripted.issuer, { expires_in: 0.2 })];
    scripted.answers["/token"] = [refusal("authorization_pending")];
    const { code, message } = await failureOf((await byDevice(scripted.issuer)).grant);
    assert.equal(code, "LOGIN_FAILED");
    assert.match(message, /before the code expired/);
  });

  test("shows no sign-in address that is neither https nor on loopback", async () => {
    await using scripted = await Scripted.open();
    for (const address of ["javascript:alert(1)", "http://id.example/device", "file:///etc/passwd"]) {
      scripted.answers["/device"] = [deviceAnswer(scripted.issuer, { verification_uri: address })];
      const { grant, code } = await byDevice(scripted.issuer);
      assert.equal((await failureOf(grant)).code, "LOGIN_FAILED");
      assert.equal(await Promise.race([code, Promise.resolve("none")]), "none");
    }
    scripted.answers["/device"] = [
      deviceAnswer(scripted.issuer, { verification_uri_complete: "javascript:alert(1)" }),
    ];
    scripted.answers["/token"] = [refusal("access_denied")];
    const { grant, code } = await byDevice(scripted.issuer);
    assert.equal((await code).completeUrl, undefined);
    await failureOf(grant);
  });

  test("the wait ends immediately with the signal's reason", async () => {
    await using scripted = await Scripted.open();
    scripted.answers["/device"] = [deviceAnswer(scripted.issuer, { interval: 60 })];
    const ends = new AbortController();
    const { grant, code } = await byDevice(scripted.issuer, ends.signal);
    await code;
    const reason = new Error("enough");
    ends.abort(reason);
    await assert.rejects(grant, reason);
  });
});

describe("a provider", () => {
  const found = (issuer: string, signal?: AbortSignal) => discover({ issuer, clientId: CLIENT_ID }, signal);

  test("is called only over https or on this machine", async () => {
    for (const issuer of [
      "http://id.example",
      "ftp://id.example",
      "https://me:pw@id.example",
      "id.example",
      "",
    ]) {
      const { code, message } = await failureOf(found(issuer));
      assert.equal(code, "INVALID_REQUEST", issuer);
      assert.match(message, /--issuer is not/);
    }
    for (const name of ["authorization", "token", "device_authorization", "revocation"]) {
      await using scripted = await Scripted.open({ [`${name}_endpoint`]: "http://evil.example/x" });
      const { code, message } = await failureOf(found(scripted.issuer));
      assert.equal(code, "LOGIN_FAILED", name);
      assert.match(message, new RegExp(`has a ${name}_endpoint that is neither https`));
    }
  });

  test("with another issuer in its metadata is refused, and that issuer is shown", async () => {
    await using scripted = await Scripted.open({ issuer: "https://id.example/" });
    const { code, message } = await failureOf(found(scripted.issuer));
    assert.equal(code, "INVALID_REQUEST");
    assert.match(message, /calls itself "https:\/\/id\.example\/"\. Give that as --issuer/);
  });

  for (const [what, answer, expected] of [
    ["that does not exist", { status: 404, body: {} }, "INVALID_REQUEST"],
    ["that redirects", { status: 302, body: {} }, "INVALID_REQUEST"],
    ["that is broken", { status: 500, body: {} }, "SERVER_UNREACHABLE"],
    ["that answers with a page", { body: "<html>" }, "LOGIN_FAILED"],
    ["that answers endlessly", { body: { issuer: "x".repeat(100_000) } }, "SERVER_UNREACHABLE"],
  ] as const) {
    test(`${what} is reported as ${expected}`, async () => {
      await using scripted = await Scripted.open();
      scripted.answers["/.well-known/openid-configuration"] = [answer];
      assert.equal((await failureOf(found(scripted.issuer))).code, expected);
      assert.equal(scripted.asked.length, 1, "no redirect is followed");
    });
  }

  test("that does not answer is no longer waited for once the signal aborts", async () => {
    await using scripted = await Scripted.open();
    scripted.answers["/.well-known/openid-configuration"] = [];
    const ends = new AbortController();
    const finding = found(scripted.issuer, ends.signal);
    ends.abort();
    assert.equal((await failureOf(finding)).code, "SERVER_UNREACHABLE");
  });

  test("whose tokens cannot be used is reported without quoting them", async () => {
    for (const wrong of [
      { token_type: "N_A" },
      { token_type: "DPoP" },
      { access_token: "line\nbreak" },
      { expires_in: 0 },
    ]) {
      await using scripted = await Scripted.open();
      scripted.answers["/device"] = [deviceAnswer(scripted.issuer)];
      scripted.answers["/token"] = [{ body: { ...GRANTED, ...wrong } }];
      const { code, message } = await failureOf((await byDevice(scripted.issuer)).grant);
      assert.equal(code, "LOGIN_FAILED", JSON.stringify(wrong));
      assert.doesNotMatch(message, /an\.access|line/);
    }
  });
});
