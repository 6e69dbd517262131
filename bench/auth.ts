/**
 * The cost of the auth gateway: a call with a token compared with the same call without authentication, and new tokens
 * compared with the bare check of their signatures and claims. Run with `npm run bench:auth`; docs/performance.md has
 * the results of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { jwtVerify } from "jose";
import { Registry } from "prom-client";
import { Gateway } from "../src/auth/access/gateway.ts";
import { RevocationList, RevocationTable } from "../src/auth/tokens/revocations.ts";
import { openLog } from "../src/platform/observability/log.ts";
import { Client } from "./client.ts";
import { inFlight } from "./flight.ts";
import { interleave, median, printTimings, ratioOf, type Timing } from "./interleave.ts";
import { AUDIENCE, BenchProvider, ISSUER } from "./provider.ts";
import { startController } from "./system.ts";
import { holdTo } from "./target.ts";

const IN_FLIGHT = 32;
const CALLS = 4_000;
const TOKENS = 1_000;
const ROUNDS = 11;
/** Maximum ratio to the time without the gateway: at least 0.9 of its rate. */
const MAX_RATIO = 1 / 0.9;

const provider = await BenchProvider.open();
const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}; ${IN_FLIGHT} in flight`);
  await benchCalls();
  await benchFirstSeen();
} finally {
  provider[Symbol.dispose]();
  await rm(directory, { recursive: true });
}

/** Calls GetJob for a queued job. With tokens, every call writes a line to the audit log file. */
async function benchCalls(): Promise<void> {
  const store = (name: string) => ["--data-dir", join(directory, name)];
  await using open = await startController(store("open"));
  await using guarded = await startController(store("guarded"), {
    auth: [...provider.flags, "--media-root", "/media", "--audit-log", join(directory, "audit.log")],
  });
  using anybody = new Client(open.grpc);
  using known = new Client(guarded.grpc, await provider.newToken());
  const pair = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" };
  const [openJob, guardedJob] = [await anybody.submit(pair), await known.submit(pair)];
  const timings = await interleave(
    [
      { name: "--auth-disabled", run: () => inFlight(CALLS, IN_FLIGHT, () => anybody.job(openJob)) },
      { name: "with a token", run: () => inFlight(CALLS, IN_FLIGHT, () => known.job(guardedJob)) },
    ],
    ROUNDS,
  );
  report(`${CALLS} calls of GetJob`, CALLS, timings);
}

/** Checks tokens one after another in this process, each only once. */
async function benchFirstSeen(): Promise<void> {
  const count = TOKENS * (ROUNDS + 1);
  const tokens = await Promise.all(
    Array.from({ length: count }, (_, n) => provider.newToken({ jti: String(n) })),
  );
  const realm = {
    ...{
      issuer: ISSUER,
      jwksEndpoint: provider.jwksEndpoint,
      audience: AUDIENCE,
      tenantClaim: "tid",
      rolesClaim: "svc_roles",
    },
    tenant: undefined,
  };
  const log = openLog({ level: "error", format: "text" });
  const revocations = new RevocationList();
  revocations.replace(new RevocationTable());
  const gateway = new Gateway({
    ...{ realms: () => [realm], revocations, clockSkewMs: 30_000, log },
    registry: new Registry(),
    now: Date.now,
  });
  const options = { issuer: ISSUER, audience: AUDIENCE, algorithms: ["RS256"] };
  let [bare, gated] = [0, 0];
  const timings = await interleave(
    [
      {
        name: "jose jwtVerify",
        run: async () => {
          for (const end = bare + TOKENS; bare < end; bare++)
            await jwtVerify(tokens[bare] ?? "", provider.publicKey, options);
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
  report(`${TOKENS} new tokens`, TOKENS, timings);
}

function report(title: string, calls: number, timings: readonly Timing[]): void {
  printTimings(title, timings);
  for (const { name, times } of timings) printRate(name, calls, times);
  const [base, ...others] = timings;
  for (const timing of others) holdTo(MAX_RATIO, ratioOf(timing, base), timing.name);
}

function printRate(name: string, calls: number, times: readonly number[]): void {
  console.log(`  ${name.padEnd(28)} ${(calls / (median(times) / 1000)).toFixed(0)} per second`);
}
