/** svc login, logout and whoami with a real provider and a real controller. */
import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Ended, type Running, SVC, start } from "../cli/program.ts";
import { visit } from "../client/browser.ts";
import { AUDIENCE, CLIENT_ID, PeopleProvider } from "../client/people-provider.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { until } from "../waiting.ts";

const BROWSER = `${process.execPath} ${fileURLToPath(new URL("../client/browser.ts", import.meta.url))}`;
const CLAIMS = { tid: "acme", svc_roles: ["svc:writer"] };
/** Seconds: longer than the test. */
const LIFE_SECONDS = 3600;

let directory: string;
let state: string;
let provider: PeopleProvider;
let controller: ControllerProcess;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-login-"));
  state = join(directory, "state");
  provider = await PeopleProvider.open({ lifeSeconds: LIFE_SECONDS, claims: CLAIMS });
  const args = ["--jwks-endpoint", provider.jwksEndpoint, "--auth-issuer", provider.issuer];
  controller = await ControllerProcess.start({
    dataDir: join(directory, "data"),
    auth: [...args, "--auth-audience", AUDIENCE],
  });
  // The controller has the key set from then on.
  await until(async () => (await login()).code === 0, "the keys");
  await rm(state, { recursive: true });
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});
afterEach(async () => {
  provider.denies = false;
  await rm(state, { recursive: true, force: true });
});

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const surroundings = { XDG_STATE_HOME: state, BROWSER, DISPLAY: "", WAYLAND_DISPLAY: "", COLUMNS: "240" };
  return start(SVC, args, { env: { ...surroundings, ...env } });
}

async function svc(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const server = args.includes("--server") ? [] : ["--server", controller.grpc];
  await using running = run([...args, ...server], env);
  const ended = await running.ended();
  assert.doesNotMatch(ended.stdout + ended.stderr, /eyJ/, "no token is printed");
  return ended;
}

const AT_PROVIDER = () => ["--issuer", provider.issuer, "--client-id", CLIENT_ID];

async function login(...more: readonly string[]): Promise<Ended> {
  return svc(["login", ...AT_PROVIDER(), ...more]);
}

const sessionFile = () => join(state, "svc", `session-${encodeURIComponent(controller.grpc)}.json`);

async function session(): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(sessionFile(), "utf8"));
}

/** Changes the session so that its token expired a moment ago, an hour after it was issued. */
async function expire(): Promise<void> {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  const times = { obtained: ago(3_601_000), expires: ago(1_000) };
  await writeFile(sessionFile(), JSON.stringify({ ...(await session()), ...times }));
}

test("a person signs in, uses the session, and signs out", async () => {
  const signedIn = await login();
  assert.equal(signedIn.code, 0, signedIn.stderr);
  assert.match(
    signedIn.stdout,
    /signed in to 127\.0\.0\.1:\d+ as tenant "acme", subject "alice", svc:writer\./,
  );
  assert.ok(signedIn.stderr.includes(`\n  ${provider.issuer}/auth?`), "the address is on its own line");
  assert.equal((await stat(sessionFile())).mode & 0o777, 0o600);
  assert.equal((await stat(join(state, "svc"))).mode & 0o777, 0o700);
  const listed = await svc(["jobs", "list"]);
  assert.equal(listed.code, 0, listed.stderr);
  const who = await svc(["whoami", "--json"]);
  assert.deepEqual(JSON.parse(who.stdout), {
    server: controller.grpc,
    tenant: "acme",
    subject: "alice",
    roles: ["svc:writer"],
    session: {
      ...JSON.parse(who.stdout).session,
      issuer: provider.issuer,
      clientId: CLIENT_ID,
      renewable: true,
    },
  });
  const revocations = provider.count("/token/revocation");
  const ended = await svc(["logout"]);
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(ended.stdout, /has ended, also at the provider/);
  assert.equal(provider.count("/token/revocation"), revocations + 1);
  assert.deepEqual(await readdir(join(state, "svc")), ["lock"]);
  const refused = await svc(["jobs", "list"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /\[TOKEN_MISSING\][\s\S]*svc login/);
  assert.match((await svc(["logout"])).stdout, /There was no session/);
});

describe("a session", () => {
  test("is renewed once by concurrent commands, and none of them is refused", async () => {
    await login();
    const { refreshToken } = await session();
    await expire();
    const asked = provider.count("/token");
    const ended = await Promise.all([1, 2, 3, 4].map(() => svc(["whoami"])));
    for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
    assert.equal(provider.count("/token"), asked + 1);
    assert.notEqual((await session())["refreshToken"], refreshToken, "refresh tokens rotate");
    await expire();
    assert.equal((await svc(["whoami"])).code, 0, "the rotated token is valid");
  });

  test("that the provider no longer renews has expired, and can be restarted with the previous settings", async () => {
    await login();
    const { refreshToken } = await session();
    const form = { token: String(refreshToken), client_id: CLIENT_ID };
    await fetch(`${provider.issuer}/token/revocation`, { method: "POST", body: new URLSearchParams(form) });
    await expire();
    const { code, stderr } = await svc(["jobs", "list"]);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /has expired[\s\S]*invalid_grant[\s\S]*svc login --server 127[\s\S]*\[LOGIN_REQUIRED\]/,
    );
    assert.ok(!stderr.includes(String(refreshToken)));
    const again = await svc(["login"]);
    assert.equal(again.code, 0, again.stderr);
    assert.equal((await svc(["jobs", "list"])).code, 0);
  });

  test("is for its own address, and a token from a flag or variable takes precedence", async () => {
    await login();
    const [, port = ""] = controller.grpc.split(":");
    const tokenFile = join(directory, "token");
    await writeFile(tokenFile, "not.a.token");
    for (const [args, env, expected] of [
      [["--server", `localhost:${port}`], {}, "TOKEN_MISSING"],
      [["--token-file", tokenFile], {}, "TOKEN_INVALID"],
      [[], { SVC_TOKEN: "not.a.token" }, "TOKEN_INVALID"],
    ] as const) {
      const { code, stderr } = await svc(["jobs", "list", ...args], env);
      assert.equal(code, 2);
      assert.ok(stderr.includes(`[${expected}]`), stderr);
    }
  });

  test("is not used without TLS if it was made over TLS, nor from a file that others can read", async () => {
    await login();
    await writeFile(sessionFile(), JSON.stringify({ ...(await session()), tls: true }));
    const inClear = await svc(["jobs", "list"]);
    assert.equal(inClear.code, 2);
    assert.match(inClear.stderr, /over TLS[\s\S]*--tls/);
    await chmod(sessionFile(), 0o644);
    const readable = await svc(["jobs", "list"]);
    assert.equal(readable.code, 2);
    assert.match(readable.stderr, /can be read or written by others[\s\S]*644[\s\S]*svc logout/);
    assert.equal((await svc(["logout"])).code, 0);
    assert.match((await svc(["jobs", "list"])).stderr, /TOKEN_MISSING/);
  });
});

describe("no session is saved", () => {
  async function assertNothing({ code, stderr }: Ended, expected: number, why: RegExp): Promise<void> {
    assert.equal(code, expected, stderr);
    assert.match(stderr, why);
    const files = await readdir(join(state, "svc")).catch(() => []);
    assert.deepEqual(
      files.filter((name) => name !== "lock"),
      [],
    );
  }

  test("if the person declines", async () => {
    provider.denies = true;
    await assertNothing(await login(), 2, /access_denied, The person said no[\s\S]*LOGIN_FAILED/);
    const { stdout } = await login("--json");
    assert.equal(JSON.parse(stdout).code, "LOGIN_FAILED");
  });

  test("if the ID token belongs to another sign-in", async () => {
    const args = ["login", ...AT_PROVIDER(), "--server", controller.grpc];
    await using running = run(args, { BROWSER: "true" });
    await running.printed(/Waiting for you/);
    const url = new URL(/^ {2}(http\S+)$/m.exec(running.stderr)?.[1] ?? "");
    // The provider puts the nonce of its request into the ID token.
    url.searchParams.set("nonce", "of-another-sign-in");
    await visit(url.href);
    await assertNothing(await running.ended(), 2, /nonce[\s\S]*LOGIN_FAILED/);
  });

  test("if the controller refuses the token", async () => {
    await using other = await PeopleProvider.open({ claims: CLAIMS });
    const ended = await svc(["login", "--issuer", other.issuer, "--client-id", CLIENT_ID]);
    await assertNothing(ended, 2, /refused the token[\s\S]*TOKEN_INVALID[\s\S]*LOGIN_FAILED/);
    assert.equal(other.count("/token/revocation"), 1, "it is revoked at the provider too");
  });

  test("if nobody signs in in time, and after Ctrl-C", async () => {
    const silent = { BROWSER: "true" };
    await assertNothing(await svc(["login", ...AT_PROVIDER(), "--timeout", "1"], silent), 2, /within 1 s/);
    await using running = run(["login", ...AT_PROVIDER(), "--server", controller.grpc], silent);
    await running.printed(/Waiting for you/);
    running.child.kill("SIGINT");
    await assertNothing(await running.ended(), 130, /Stopped\. You are not signed in\./);
  });

  test("if the provider is down, or isn't one", async () => {
    const away = await PeopleProvider.open();
    const { issuer } = away;
    await away[Symbol.asyncDispose]();
    const flags = ["--client-id", CLIENT_ID, "--issuer"];
    await assertNothing(await svc(["login", ...flags, issuer]), 3, /ECONNREFUSED[\s\S]*SERVER_UNREACHABLE/);
    await assertNothing(await svc(["login", ...flags, `${provider.issuer}/x`]), 2, /status 404/);
    await assertNothing(await svc(["login"]), 2, /give --issuer URL and --client-id ID/);
  });

  test("if no file can be written; then nobody is asked to sign in", async () => {
    await writeFile(state, "no folder");
    const ended = await login();
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /The session cannot be saved/);
    assert.doesNotMatch(ended.stderr, /To sign in/);
  });
});

test("uses the device flow if there is no browser", async () => {
  const flags = ["login", ...AT_PROVIDER(), "--server", controller.grpc, "--json"];
  await using running = run(flags, { BROWSER: "" });
  await running.printed(/Waiting for you/);
  assert.match(running.stderr, /enter the code [A-Z]{4}-[A-Z]{4}/);
  const [url = ""] = /http:\S+user_code=\S+/.exec(running.stderr) ?? [];
  assert.equal((await visit(url)).status, 200);
  const { code, stdout, stderr } = await running.ended();
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).tenant, "acme");
  assert.equal((await svc(["whoami"])).code, 0);
});

test("reports a browser that cannot be opened; the address works", async () => {
  const flags = ["login", ...AT_PROVIDER(), "--server", controller.grpc];
  await using running = run(flags, { BROWSER: "/no/such/browser" });
  await running.printed(/could not be opened/);
  const [url = ""] = /http:\S+/.exec(running.stderr) ?? [];
  const { status, text } = await visit(url);
  assert.equal(status, 200);
  assert.match(text, /You can close this window/);
  assert.equal((await running.ended()).code, 0);
});

test("saves the session while the controller is down, and can't renew it while the provider is down", async () => {
  const elsewhere = await PeopleProvider.open({ lifeSeconds: 1, claims: CLAIMS });
  await using _ = elsewhere;
  const server = ["--server", "127.0.0.1:1"];
  const { code, stderr } = await svc([
    ...["login", "--issuer", elsewhere.issuer, "--client-id", CLIENT_ID],
    ...server,
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /could not be checked[\s\S]*SERVER_UNREACHABLE/);
  await elsewhere[Symbol.asyncDispose]();
  const kept = JSON.parse(await readFile(join(state, "svc", "session-127.0.0.1%3A1.json"), "utf8"));
  await until(async () => Date.now() > Date.parse(kept.expires), "the token to expire");
  const asked = await svc(["jobs", "list", ...server]);
  assert.equal(asked.code, 3);
  assert.match(asked.stderr, /could not be renewed[\s\S]*ECONNREFUSED/);
});
