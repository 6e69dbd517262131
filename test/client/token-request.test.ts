/** Token requests to providers with unusual, wrong, oversized or missing responses. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { tokenRequests } from "../../src/client/tokens/client-credentials.ts";
import { Failure } from "../../src/platform/failure.ts";
import { withTimeout } from "../waiting.ts";

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

/** A token endpoint with a scripted response. */
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
  test("uses client credentials, with scope and audience if given", async () => {
    await using endpoint = await Endpoint.open((response) => json(response, 200, ISSUED));
    assert.deepEqual(await endpoint.requests()(NEVER), { token: TOKEN, lifeMs: 300_000 });
    await endpoint.requests({ scope: "a b", audience: "https://svc.example" })(NEVER);
    const [plain, more] = endpoint.asked.map(({ form }) => Object.fromEntries(form));
    assert.deepEqual(plain, { grant_type: "client_credentials" });
    assert.deepEqual(more, { ...plain, scope: "a b", audience: "https://svc.example" });
    const [, credentials = ""] = endpoint.asked[0]?.authorization?.split(" ") ?? [];
    const shown = decodeURIComponent(Buffer.from(credentials, "base64").toString());
    assert.equal(shown, `node-1:${SECRET}`);
  });

  test("sends the secret in the body if the header is refused, and from then on first", async () => {
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

  test("accepts a response with an ID token of any issuer, and without a lifetime", async () => {
    await using endpoint = await Endpoint.open((response) =>
      json(response, 200, { access_token: TOKEN, token_type: "bearer", id_token: "e30.e30.e30" }),
    );
    assert.deepEqual(await endpoint.requests()(NEVER), { token: TOKEN, lifeMs: 60_000 });
  });

  test("ends when it is aborted", async () => {
    const arrived = Promise.withResolvers<void>();
    await using endpoint = await Endpoint.open(() => arrived.resolve());
    const cut = new AbortController();
    const failure = failureOf(endpoint.requests()(cut.signal));
    await withTimeout(arrived.promise, "the request");
    cut.abort();
    assert.equal((await withTimeout(failure, "its end")).code, "SERVER_UNREACHABLE");
  });
});

describe("a response without a usable token is reported without secret or token:", () => {
  const cases: [string, string, RegExp, (response: ServerResponse) => void][] = [
    [
      "a refusal",
      "TOKEN_MISSING",
      /127\.0\.0\.1:\d+\/token\) refused to issue a token: invalid_scope, no such scope\./,
      (response) => json(response, 400, { error: "invalid_scope", error_description: "no such scope" }),
    ],
    [
      "a refusal that repeats the secret",
      "TOKEN_MISSING",
      /refused to issue a token: invalid_request\.$/,
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
      "a client that is refused with both methods",
      "TOKEN_MISSING",
      /invalid_client.*Check --oidc-client-id/,
      (response) => json(response, 401, { error: "invalid_client" }),
    ],
    [
      "too many requests",
      "SERVER_UNREACHABLE",
      /cannot issue a token now: slow_down/,
      (response) => json(response, 429, { error: "slow_down" }),
    ],
    ["a fault", "SERVER_UNREACHABLE", /status 500/, (response) => response.writeHead(500).end("oops")],
    [
      "a page",
      "SERVER_UNREACHABLE",
      /response was not JSON/,
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ],
    [
      "rubbish",
      "SERVER_UNREACHABLE",
      /response was not valid JSON/,
      (response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(`{"access_token":"${TOKEN}`),
    ],
    [
      "no token at all",
      "SERVER_UNREACHABLE",
      /response was not a token/,
      (response) => json(response, 200, { token_type: "bearer" }),
    ],
    ["no body", "SERVER_UNREACHABLE", /status 204/, (response) => response.writeHead(204).end()],
    [
      "a list",
      "SERVER_UNREACHABLE",
      /issued no token/,
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
      /not a bearer token/,
      (response) => json(response, 200, { ...ISSUED, token_type: "DPoP" }),
    ],
    [
      "a token that cannot be in a header",
      "TOKEN_MISSING",
      /not a bearer token/,
      (response) => json(response, 200, { ...ISSUED, access_token: `${TOKEN}\r\nx: y` }),
    ],
    [
      "an expired token",
      "TOKEN_MISSING",
      /has already expired/,
      (response) => json(response, 200, { ...ISSUED, expires_in: 0 }),
    ],
    [
      "a redirect, which is not followed",
      "SERVER_UNREACHABLE",
      /status 307/,
      (response) => response.writeHead(307, { location: "/elsewhere" }).end(),
    ],
    [
      "an endless response",
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
    ["a connection that ends", "SERVER_UNREACHABLE", /issued no token/, (response) => response.destroy()],
  ];
  for (const [name, code, shown, answer] of cases) {
    test(name, async () => {
      await using endpoint = await Endpoint.open(answer);
      const failure = await failureOf(endpoint.requests()(NEVER));
      assert.equal(failure.code, code);
      assert.match(failure.message, shown);
      assert.ok(endpoint.asked.length <= 2);
      const all = [failure.message, failure.stack, String(failure.cause)].join("\n");
      assert.ok(!all.includes(SECRET) && !all.includes(TOKEN), all);
    });
  }

  test("sends no request for a secret file that is missing, empty, too large or has several lines", async () => {
    await using endpoint = await Endpoint.open((response) => json(response, 200, ISSUED));
    const request = endpoint.requests();
    try {
      for (const [content, shown] of [
        ["\n", /secret" is empty\. The file must contain only the secret/],
        ["a\nb", /several lines/],
        ["x".repeat(65_537), /larger than 65536 bytes/],
      ] as const) {
        await writeFile(secretFile, content);
        const failure = await failureOf(request(NEVER));
        assert.equal(failure.code, "INVALID_REQUEST");
        assert.match(failure.message, /^--oidc-client-secret-file/);
        assert.match(failure.message, shown);
      }
      await rm(secretFile);
      assert.match(
        (await failureOf(request(NEVER))).message,
        /--oidc-client-secret-file: ".*" cannot be read: no such file or directory\./,
      );
    } finally {
      await writeFile(secretFile, SECRET);
    }
    assert.equal(endpoint.asked.length, 0);
    assert.equal((await request(NEVER)).token, TOKEN);
  });
});
