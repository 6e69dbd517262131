/**
 * What the gateway costs: a call with a token beside the same call of a controller that asks nobody,
 * and tokens that were never seen beside the bare check of their signatures and claims. Run with
 * `npm run bench:auth`; figures of one run stand in docs/performance.md.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { Registry } from "prom-client";
import { Gateway } from "../src/auth/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { Client } from "./client.ts";
import { inFlight } from "./flight.ts";
import { interleave, median, printTimings } from "./interleave.ts";
import { startController } from "./system.ts";

const IN_FLIGHT = 32;
const CALLS = 4_000;
const TOKENS = 1_000;
const ROUNDS = 11;
const ISSUER = "https://id.example";
const AUDIENCE = "svc";

const { publicKey, privateKey } = await generateKeyPair("RS256");
const jwk = { ...(await exportJWK(publicKey)), kid: "one", use: "sig", alg: "RS256" };
const keys = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] })));
keys.listen(0, "127.0.0.1");
const jwksEndpoint = await new Promise<string>((resolve) => {
  keys.once("listening", () => resolve(`http://127.0.0.1:${(keys.address() as AddressInfo).port}/`));
});
const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}; ${IN_FLIGHT} in flight`);
  await benchCalls();
  await benchFirstSeen();
} finally {
  keys.close();
  await rm(directory, { recursive: true });
}

function newToken(claims: JWTPayload = {}): Promise<string> {
  return new SignJWT({ tid: "acme", svc_roles: ["svc:writer"], sub: "encoder", ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "one", typ: "JWT" })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(privateKey);
}

/** GetJob, of a job that waits. */
async function benchCalls(): Promise<void> {
  const store = (name: string) => ["--data-dir", join(directory, name)];
  const auth = ["--jwks-endpoint", jwksEndpoint, "--auth-issuer", ISSUER, "--auth-audience", AUDIENCE];
  await using open = await startController(store("open"));
  await using guarded = await startController(store("guarded"), {
    auth: [...auth, "--media-root", "/media"],
  });
  using anybody = new Client(open.grpc);
  using known = new Client(guarded.grpc, await newToken());
  const pair = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" };
  const [openJob, guardedJob] = [await anybody.submit(pair), await known.submit(pair)];
  const timings = await interleave(
    [
      { name: "--auth-disabled", run: () => inFlight(CALLS, IN_FLIGHT, () => anybody.job(openJob)) },
      { name: "with a token", run: () => inFlight(CALLS, IN_FLIGHT, () => known.job(guardedJob)) },
    ],
    ROUNDS,
  );
  printTimings(`${CALLS} calls of GetJob`, timings);
  for (const { name, times } of timings) printRate(name, CALLS, times);
}

/** Tokens that are each seen once, one after the other, in this process. */
async function benchFirstSeen(): Promise<void> {
  const count = TOKENS * (ROUNDS + 1);
  const tokens = await Promise.all(Array.from({ length: count }, (_, n) => newToken({ jti: String(n) })));
  const realm = {
    ...{ issuer: ISSUER, jwksEndpoint, audience: AUDIENCE, tenantClaim: "tid", rolesClaim: "svc_roles" },
    tenant: undefined,
  };
  const log = openLog({ level: "error", format: "text" });
  const gateway = new Gateway({ realms: () => [realm], clockSkewMs: 30_000, log, registry: new Registry() });
  const options = { issuer: ISSUER, audience: AUDIENCE, algorithms: ["RS256"] };
  let [bare, gated] = [0, 0];
  const timings = await interleave(
    [
      {
        name: "jose jwtVerify",
        run: async () => {
          for (const end = bare + TOKENS; bare < end; bare++)
            await jwtVerify(tokens[bare] ?? "", publicKey, options);
        },
      },
      {
        name: "the gateway",
        run: async () => {
          for (const end = gated + TOKENS; gated < end; gated++)
            await gateway.authenticate(`Bearer ${tokens[gated]}`);
        },
      },
    ],
    ROUNDS,
  );
  gateway.close();
  printTimings(`${TOKENS} tokens that were never seen`, timings);
  for (const { name, times } of timings) printRate(name, TOKENS, times);
}

function printRate(name: string, calls: number, times: readonly number[]): void {
  console.log(`  ${name.padEnd(28)} ${(calls / (median(times) / 1000)).toFixed(0)} a second`);
}
