/** Access tokens of a real identity provider: by client credentials, through a rotation of its keys. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { type Configuration, Provider } from "oidc-provider";
import { Bench, realmAt } from "./gateways.ts";

const AUDIENCE = "https://svc.example";

let server: Server;
let issuer: string;
/** The current provider; a rotation replaces it. */
let serve: RequestListener;

before(async () => {
  server = createServer((request, response) => {
    // A connection that is kept may be closed just as the next request comes.
    response.shouldKeepAlive = false;
    serve(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
});

async function newKey(kid: string, alg: "RS256" | "ES256"): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, use: "sig" };
}

/** Puts a provider in place that signs with the first key that fits, and lists them all. */
function provide(keys: readonly JWK[], alg: "RS256" | "PS256" | "ES256" = "RS256"): void {
  const configuration: Configuration = {
    clients: [
      {
        client_id: "encoder",
        client_secret: "a secret of the tests",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys: [...keys] },
    extraTokenClaims: () => ({ tid: "acme", svc_roles: ["svc:writer"] }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        getResourceServerInfo: () => ({
          scope: "",
          audience: AUDIENCE,
          accessTokenFormat: "jwt",
          accessTokenTTL: 3_600,
          jwt: { sign: { alg } },
        }),
      },
    },
  };
  const answer = new Provider(issuer, configuration).callback();
  serve = (request, response) => void answer(request, response);
}

async function fetchToken(): Promise<string> {
  const answer = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("encoder:a secret of the tests".replaceAll(" ", "+"))}` },
    body: new URLSearchParams({ grant_type: "client_credentials", resource: AUDIENCE }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: unknown };
  assert.ok(typeof token === "string", `status ${answer.status}`);
  return token;
}

function benchOf(audience = AUDIENCE): Bench {
  const bench = new Bench([realmAt(`${issuer}/jwks`, { issuer, audience })]);
  bench.now = Date.now();
  return bench;
}

test("a token by client credentials gives its principal", async () => {
  provide([await newKey("elliptic", "ES256"), await newKey("one", "RS256")]);
  const token = await fetchToken();
  const principal = { tenant: "acme", subject: "encoder", roles: ["svc:writer"] };
  assert.deepEqual(await benchOf().accepts(token), principal);
  await benchOf("https://another.example").refuses(token, "TOKEN_INVALID");
  const bench = benchOf();
  bench.now += 3_601_000;
  await bench.refuses(token, "TOKEN_EXPIRED");
});

test("its keys rotate: both are good for a while, then the old one is withdrawn", async () => {
  const [one, two] = [await newKey("one", "RS256"), await newKey("two", "RS256")];
  provide([one]);
  const oldToken = await fetchToken();
  const bench = benchOf();
  await bench.accepts(oldToken);
  provide([two, one]);
  const newToken = await fetchToken();
  await bench.refuses(newToken, "TOKEN_KEY_UNKNOWN");
  bench.now += 30_000;
  await bench.accepts(newToken);
  await bench.accepts(oldToken);
  provide([two]);
  bench.now += 30_000;
  await bench.refuses(unknownKid(oldToken), "TOKEN_KEY_UNKNOWN");
  await bench.refuses(oldToken, "TOKEN_KEY_UNKNOWN");
  await bench.accepts(newToken);
});

/** The token with a key name that nobody has, so that the key set is read again. */
function unknownKid(token: string): string {
  const [header = "", ...rest] = token.split(".");
  const members = JSON.parse(Buffer.from(header, "base64url").toString()) as object;
  const renamed = Buffer.from(JSON.stringify({ ...members, kid: "no such key" })).toString("base64url");
  return [renamed, ...rest].join(".");
}

test("its tokens of other algorithms are refused", async () => {
  for (const [alg, keyAlg] of [
    ["PS256", "RS256"],
    ["ES256", "ES256"],
  ] as const) {
    // The provider needs an RS256 key in any case.
    provide([await newKey("key", keyAlg), await newKey("other", "RS256")], alg);
    await benchOf().refuses(await fetchToken(), "TOKEN_INVALID");
  }
});
