/** The controller's authentication settings determine how tokens are checked. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Command } from "commander";
import pino from "pino";
import { Registry } from "prom-client";
import { Audit } from "../../src/audit/audit.ts";
import { RevocationTable } from "../../src/auth/tokens/revocations.ts";
import { addSettings, readSettings } from "../../src/platform/config/config.ts";
import { Failure } from "../../src/platform/failure.ts";
import { AUTH_SETTINGS } from "../../src/processes/controller/auth-settings.ts";
import { type Authentication, openAuthentication } from "../../src/processes/controller/authentication.ts";
import { until } from "../waiting.ts";
import { KeyServer, keys } from "./key-server.ts";
import { newSigner, signToken } from "./tokens.ts";

const signer = newSigner("one");
const ISSUER = "https://id.example";

let server: KeyServer;
before(async () => {
  server = await KeyServer.open(keys(signer));
});
after(() => server.close());

/** Log lines are added to `log`. */
async function open(environment: Record<string, string>, log: string[] = []): Promise<Authentication> {
  const command = addSettings(new Command("x"), AUTH_SETTINGS).parse([], { from: "user" });
  const settings = await readSettings(command, AUTH_SETTINGS, environment);
  const opened = await openAuthentication(settings, {
    log: pino({ level: "info" }, { write: (line) => void log.push(line) }),
    registry: new Registry(),
    audit: new Audit([]),
  });
  opened.tokens?.revocations.replace(new RevocationTable());
  return opened;
}

/** Waits for its keys; a fetch that timed out is repeated. */
async function provider(more: Record<string, string> = {}): Promise<Authentication> {
  const opened = await open({ SVC_JWKS_ENDPOINT: server.url, SVC_AUTH_ISSUER: ISSUER, ...more });
  const outcome = () => opened.authenticate(token({})).catch((error: unknown) => Failure.from(error).code);
  await until(async () => (await outcome()) !== "TOKEN_KEY_UNKNOWN", "the keys");
  return opened;
}

function token(claims: object): string {
  const now = Math.floor(Date.now() / 1000);
  return `Bearer ${signToken(signer, { iss: ISSUER, exp: now + 600, ...claims })}`;
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const outcome: unknown = await call.catch((error: unknown) => error);
  assert.ok(outcome instanceof Failure, `admitted: ${JSON.stringify(outcome)}`);
  return outcome.code;
}

test("reads tenant and roles from the configured claims", async () => {
  const claims = {
    ...{ tid: "wrong", svc_roles: ["svc:admin"] },
    ...{ org_id: "acme", permissions: ["svc:reader"] },
  };
  const byDefault = await provider();
  assert.deepEqual(await byDefault.authenticate(token(claims)), {
    ...{ tenant: "wrong", subject: "alice", roles: ["svc:admin"] },
  });
  const named = await provider({
    ...{ SVC_AUTH_TENANT_CLAIM: "org_id", SVC_AUTH_ROLES_CLAIM: "permissions" },
  });
  assert.deepEqual(await named.authenticate(token(claims)), {
    ...{ tenant: "acme", subject: "alice", roles: ["svc:reader"] },
  });
  assert.equal(await codeOf(named.authenticate(token({ tid: "acme" }))), "TOKEN_INVALID");
});

test("checks the audience if one is configured", async () => {
  const other = token({ aud: "other" });
  await (await provider()).authenticate(other);
  const named = await provider({ SVC_AUTH_AUDIENCE: "svc" });
  await named.authenticate(token({ aud: ["other", "svc"] }));
  assert.equal(await codeOf(named.authenticate(other)), "TOKEN_INVALID");
});

test("allows the clock skew for nbf and iat, but not for exp", async () => {
  const now = Math.floor(Date.now() / 1000);
  // More than the default of 30 s even if the test is slow, and less than 600 s.
  const [ahead, over] = [now + 500, token({ exp: now - 1 })];
  const [byDefault, wide] = [await provider(), await provider({ SVC_AUTH_CLOCK_SKEW: "600" })];
  for (const claim of ["nbf", "iat"]) {
    await wide.authenticate(token({ [claim]: ahead }));
    assert.equal(await codeOf(byDefault.authenticate(token({ [claim]: ahead }))), "TOKEN_INVALID");
  }
  assert.equal(await codeOf(wide.authenticate(over)), "TOKEN_EXPIRED");
});

test("requires no token when authentication is disabled, and logs the ignored settings", async () => {
  const log: string[] = [];
  const disabled = { SVC_AUTH_DISABLED: "true", SVC_JWKS_ENDPOINT: server.url, SVC_AUTH_ISSUER: ISSUER };
  const { authenticate, tokens } = await open(disabled, log);
  assert.deepEqual(await authenticate(undefined), { tenant: "dev", subject: "", roles: ["svc:admin"] });
  assert.equal(tokens, undefined);
  const [line = "", ...more] = log;
  assert.deepEqual(more, []);
  const { level, ignored, msg } = JSON.parse(line);
  assert.deepEqual({ level, ignored }, { level: 40, ignored: ["SVC_JWKS_ENDPOINT", "SVC_AUTH_ISSUER"] });
  assert.match(msg, /IGNORED.* remove --auth-disabled \(SVC_AUTH_DISABLED\)/);
  const silent: string[] = [];
  await open({ SVC_AUTH_DISABLED: "true" }, silent);
  assert.deepEqual(silent, []);
});
