/** Requests for tokens to providers that answer in their own way, wrongly, too much or not at all. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { tokenRequests } from "../../src/client/token-request.ts";
import { Failure } from "../../src/platform/failure.ts";
import { soon } from "../waiting.ts";

const SECRET = "the-secret-0123456789";
const TOKEN = "a.bearer.token";
const ISSUED = { access_token: TOKEN, token_type: "Bearer", expires_in: 300 };

let directory: string;
let secretFile: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-token-request-"));
  secretFile = join(directory, "secret");
  await writeFile(secretFile, SECRET);
});
after(() => rm(directory, { recursive: true }));

interface Asked {
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

type Answer = (response: ServerResponse, asked: Asked) => void;

/** A token endpoint that answers as a test wants. */
class Endpoint implements AsyncDisposable {
  readonly asked: Asked[] = [];
  readonly #server = createServer();

  static async open(answer: (response: ServerResponse, asked: Asked) => void): Promise<Endpoint> {
    const endpoint = new Endpoint();
    endpoint.#server.on("request", (request, response) => void endpoint.#hear(request, response, answer));
    endpoint.#server.listen(0, "127.0.0.1");
    await once(endpoint.#server, "listening");
    return endpoint;
  }

  requests(more: { scope?: string; audience?: string } = {}) {
    const { port } = this.#server.address() as AddressInfo;
    return tokenRequests({
      tokenUrl: new URL(`http://127.0.0.1:${port}/token`),
      clientId: "node-1",
      clientSecretFile: secretFile,
      scope: more.scope,
      audience: more.audience,
    });
  }

  async #hear(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const asked = { authorization: request.headers.authorization, form };
    this.asked.push(asked);
    answer(response, asked);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const NEVER = new AbortController().signal;

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const thrown = await promise.then(
    () => assert.fail("no failure"),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof Failure, String(thrown));
  return thrown;
}

describe("a request", () => {
  test("asks by client credentials, with scope and audience where they are given", async () => {
    await using endpoint = await Endpoint.open((response) => json(response, 200, ISSUED));
    assert.deepEqual(await endpoint.requests()(NEVER), { token: TOKEN, lifeMs: 300_000 });
    await endpoint.requests({ scope: "a b", audience: "https://svc.example" })(NEVER);
    const [plain, more] = endpoint.asked.map(({ form }) => Object.fromEntries(form));
    assert.deepEqual(plain, { grant_type: "client_credentials" });
    assert.deepEqual(more, { ...plain, scope: "a b", audience: "https://svc.example" });
    const [, credentials = ""] = endpoint.asked[0]?.authorization?.split(" ") ?? [];
    const told = decodeURIComponent(Buffer.from(credentials, "base64").toString());
    assert.equal(told, `node-1:${SECRET}`);
  });

  test("sends the secret in the body where the header is not taken, and then at once", async () => {
    await using endpoint = await Endpoint.open((response, { form }) => {
      if (form.get("client_secret") === SECRET) return json(response, 200, ISSUED);
      response.setHeader("www-authenticate", 'Basic realm="provider"');
      json(response, 401, { error: "invalid_client" });
    });
    const request = endpoint.requests();
    assert.equal((await request(NEVER)).token, TOKEN);
    assert.equal((await request(NEVER)).token, TOKEN);
    assert.deepEqual(
      endpoint.asked.map(({ authorization, form }) => [
        authorization !== undefined,
        form.has("client_secret"),
      ]),
      [
        [true, false],
        [false, true],
        [false, true],
      ],
    );
  });

  test("takes an answer with an ID token of whatever issuer, and without the token's life", async () => {
    await using endpoint = await Endpoint.open((response) =>
      json(response, 200, { access_token: TOKEN, token_type: "bearer", id_token: "e30.e30.e30" }),
    );
    assert.deepEqual(await endpoint.requests()(NEVER), { token: TOKEN, lifeMs: 60_000 });
  });

  test("that is cut off ends", async () => {
    const arrived = Promise.withResolvers<void>();
    await using endpoint = await Endpoint.open(() => arrived.resolve());
    const cut = new AbortController();
    const failure = failureOf(endpoint.requests()(cut.signal));
    await soon(arrived.promise, "the request");
    cut.abort();
    assert.equal((await soon(failure, "its end")).code, "SERVER_UNREACHABLE");
  });
});

describe("an answer that gives no token is told without secret or token:", () => {
  const cases: [string, string, RegExp, (response: ServerResponse) => void][] = [
    [
      "a refusal",
      "TOKEN_MISSING",
      /127\.0\.0\.1:\d+\/token\) refuses to give a token: invalid_scope, no such scope\./,
      (response) => json(response, 400, { error: "invalid_scope", error_description: "no such scope" }),
    ],
    [
      "a refusal that repeats the secret",
      "TOKEN_MISSING",
      /refuses to give a token: invalid_request\.$/,
      (response) =>
        json(response, 400, { error: "invalid_request", error_description: `what is ${SECRET}?` }),
    ],
    [
      "a refusal with control characters",
      "TOKEN_MISSING",
      /unauthorized_client, a b{100,200}\.$/,
      (response) =>
        json(response, 400, {
          error: "unauthorized_client",
          error_description: `a\u001b${"b".repeat(9000)}`,
        }),
    ],
    [
      "a client that is unknown both ways",
      "TOKEN_MISSING",
      /invalid_client.*Check --oidc-client-id/,
      (response) => json(response, 401, { error: "invalid_client" }),
    ],
    [
      "too many requests",
      "SERVER_UNREACHABLE",
      /cannot give a token now: slow_down/,
      (response) => json(response, 429, { error: "slow_down" }),
    ],
    ["a fault", "SERVER_UNREACHABLE", /status 500/, (response) => response.writeHead(500).end("oops")],
    [
      "a page",
      "SERVER_UNREACHABLE",
      /something else than JSON/,
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ],
    [
      "rubbish",
      "SERVER_UNREACHABLE",
      /no valid JSON/,
      (response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(`{"access_token":"${TOKEN}`),
    ],
    [
      "no token at all",
      "SERVER_UNREACHABLE",
      /something else than a token/,
      (response) => json(response, 200, { token_type: "bearer" }),
    ],
    ["no body", "SERVER_UNREACHABLE", /status 204/, (response) => response.writeHead(204).end()],
    [
      "a list",
      "SERVER_UNREACHABLE",
      /gave no token/,
      (response) => response.writeHead(200, { "content-type": "application/json" }).end("[]"),
    ],
    [
      "another type of token",
      "SERVER_UNREACHABLE",
      /another type of token/,
      (response) => json(response, 200, { ...ISSUED, token_type: "mac" }),
    ],
    [
      "a token bound to a key",
      "TOKEN_MISSING",
      /no bearer token/,
      (response) => json(response, 200, { ...ISSUED, token_type: "DPoP" }),
    ],
    [
      "a token that cannot be in a header",
      "TOKEN_MISSING",
      /no bearer token/,
      (response) => json(response, 200, { ...ISSUED, access_token: `${TOKEN}\r\nx: y` }),
    ],
    [
      "a token that is over",
      "TOKEN_MISSING",
      /expired already/,
      (response) => json(response, 200, { ...ISSUED, expires_in: 0 }),
    ],
    [
      "a redirect, which is not followed",
      "SERVER_UNREACHABLE",
      /status 307/,
      (response) => response.writeHead(307, { location: "/elsewhere" }).end(),
    ],
    [
      "an answer without end",
      "SERVER_UNREACHABLE",
      /larger than 65536 bytes/,
      (response) => {
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(16_384)));
        };
        response.on("drain", more).on("error", () => {});
        more();
      },
    ],
    ["a connection that ends", "SERVER_UNREACHABLE", /gave no token/, (response) => response.destroy()],
  ];
  for (const [name, code, told, answer] of cases) {
    test(name, async () => {
      await using endpoint = await Endpoint.open(answer);
      const failure = await failureOf(endpoint.requests()(NEVER));
      assert.equal(failure.code, code);
      assert.match(failure.message, told);
      assert.ok(endpoint.asked.length <= 2);
      const all = [failure.message, failure.stack, String(failure.cause)].join("\n");
      assert.ok(!all.includes(SECRET) && !all.includes(TOKEN), all);
    });
  }

  test("a secret file that is missing, empty, too large or of several lines asks nobody", async () => {
    await using endpoint = await Endpoint.open((response) => json(response, 200, ISSUED));
    const request = endpoint.requests();
    try {
      for (const [content, told] of [
        ["\n", /secret" is empty\. Give the secret alone/],
        ["a\nb", /several lines/],
        ["x".repeat(65_537), /larger than 65536 bytes/],
      ] as const) {
        await writeFile(secretFile, content);
        const failure = await failureOf(request(NEVER));
        assert.equal(failure.code, "INVALID_REQUEST");
        assert.match(failure.message, /^--oidc-client-secret-file/);
        assert.match(failure.message, told);
      }
      await rm(secretFile);
      assert.match(
        (await failureOf(request(NEVER))).message,
        /--oidc-client-secret-file cannot be read: ENOENT/,
      );
    } finally {
      await writeFile(secretFile, SECRET);
    }
    assert.equal(endpoint.asked.length, 0);
    assert.equal((await request(NEVER)).token, TOKEN);
  });
});
