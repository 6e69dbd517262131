/** Saved sessions: who may read them, and how they are renewed with a real provider. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, mock, test } from "node:test";
import { fileURLToPath } from "node:url";
import { withLock } from "../../src/client/session/lock.ts";
import { normalServer, type Session } from "../../src/client/session/session.ts";
import { Sessions } from "../../src/client/session/sessions.ts";
import { KeptToken } from "../../src/client/sign-in/kept-token.ts";
import { lockFile } from "../../src/platform/files/file-lock.ts";
import { CLIENT_ID, PeopleProvider } from "./people-provider.ts";
import { failureOf, signIn } from "./signed-in.ts";

const SERVER = "controller.example:9090";
const TOKEN = "secret.access.token";
const HOUR_MS = 3_600_000;
/** A user that is not this one. */
const OTHER = 65_534;

let provider: PeopleProvider;
let directory: string;
let folder: string;
let sessions: Sessions;

before(async () => {
  provider = await PeopleProvider.open();
});
after(() => provider[Symbol.asyncDispose]());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-sessions-"));
  folder = join(directory, "state", "svc");
  sessions = new Sessions(folder);
});
afterEach(async () => {
  provider.watch = () => false;
  await rm(directory, { recursive: true });
});

function made(more: Partial<Session> = {}): Session {
  const now = Date.now();
  return {
    ...{ server: SERVER, tls: false, issuer: "https://id.example", clientId: CLIENT_ID },
    ...{ scope: undefined, audience: undefined, organization: undefined, refreshToken: undefined },
    ...{ accessToken: TOKEN, obtainedMs: now, expiresMs: now + HOUR_MS },
    ...more,
  };
}

function keep(session: Session): Promise<void> {
  return sessions.locked(() => sessions.write(session));
}

test("normalises a server's address", () => {
  for (const [given, normal] of [
    ["Controller.Example:9090", SERVER],
    ["controller.example:09090", SERVER],
    ["127.0.0.1:9090", "127.0.0.1:9090"],
    ["[0:0::1]:9090", "[::1]:9090"],
    ["[FE80::1%eth0]:9090", "[fe80::1%eth0]:9090"],
    ["controller.example:9091", "controller.example:9091"],
  ] as const) {
    assert.equal(normalServer(given), normal);
  }
});

describe("a session in its file", () => {
  test("round-trips, is readable only by its owner, and is replaced atomically", async () => {
    const before = process.umask(0);
    try {
      const full = made({
        tls: true,
        scope: "a b",
        audience: "urn:x",
        organization: "org",
        refreshToken: "r",
      });
      for (const session of [made(), made({ expiresMs: undefined }), full]) {
        await keep(session);
        assert.deepEqual(await sessions.read(SERVER), session);
        assert.equal((await stat(sessions.fileOf(SERVER))).mode & 0o777, 0o600);
      }
    } finally {
      process.umask(before);
    }
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal((await stat(join(folder, "lock"))).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ["lock", "session-controller.example%3A9090.json"]);
  });

  test("is for one server: another server has none", async () => {
    await keep(made());
    for (const other of ["controller.example:9091", "localhost:9090", `${"x".repeat(500)}:1`]) {
      assert.equal(await sessions.read(other), undefined);
    }
    await rename(sessions.fileOf(SERVER), sessions.fileOf("evil.example:9090"));
    const { code, message } = await failureOf(sessions.read("evil.example:9090"));
    assert.equal(code, "INVALID_REQUEST");
    assert.match(message, /is for another server.*svc logout --server evil\.example:9090/);
  });

  test("is not used if others could have read or changed it", async () => {
    await keep(made());
    const path = sessions.fileOf(SERVER);
    const refused = async (why: RegExp) => {
      const { code, message } = await failureOf(sessions.read(SERVER));
      assert.equal(code, "INVALID_REQUEST");
      assert.match(message, why);
      assert.ok(!message.includes(TOKEN));
    };
    for (const mode of [0o640, 0o604, 0o620, 0o601]) {
      await chmod(path, mode);
      await refused(/can be read or written by others \(its mode is 6\d\d\)/);
    }
    await chmod(path, 0o600);
    await chmod(folder, 0o770);
    await refused(/in a folder that others can write to/);
    assert.match((await failureOf(keep(made()))).message, /The session cannot be saved.*others can write to/);
    await chmod(folder, 0o700);
    assert.ok(await sessions.read(SERVER));
    await rename(path, join(directory, "elsewhere"));
    await symlink(join(directory, "elsewhere"), path);
    await refused(/is a symbolic link/);
    await rm(path);
    await mkdir(path);
    await refused(/is not a file/);
    if (process.getuid?.() !== 0) return;
    // Only root can give files away.
    await rm(path, { recursive: true });
    await keep(made());
    await chown(path, OTHER, OTHER);
    await refused(/belongs to another user/);
    await sessions.locked(() => sessions.remove(SERVER));
    await keep(made());
    await chown(folder, OTHER, OTHER);
    await refused(/in a folder that belongs to another user/);
  });

  test("is not used if it isn't a valid session file, and nothing of it is quoted", async () => {
    await keep(made());
    const path = sessions.fileOf(SERVER);
    const whole = JSON.parse(await readFile(path, "utf8")) as object;
    for (const text of [
      "",
      TOKEN,
      "null",
      JSON.stringify({ ...whole, version: 2 }),
      JSON.stringify({ ...whole, accessToken: `${TOKEN}\n` }),
      JSON.stringify({ ...whole, expires: "tomorrow" }),
      JSON.stringify({ ...whole, issuer: "http://id.example" }),
      JSON.stringify({ ...whole, refreshToken: 1 }),
      JSON.stringify({ ...whole, obtained: undefined }),
      `{"server":"x",${JSON.stringify(whole).slice(1)}`,
      JSON.stringify({ ...whole, more: "x".repeat(300_000) }),
    ]) {
      await writeFile(path, text);
      const { code, message } = await failureOf(sessions.read(SERVER));
      assert.equal(code, "INVALID_REQUEST", text.slice(0, 80));
      assert.ok(!message.includes(TOKEN), message);
    }
  });
});

test("a killed process releases the lock", async () => {
  const lock = join(directory, "lock");
  const program = fileURLToPath(new URL("lock-holder.ts", import.meta.url));
  const holder = spawn(process.execPath, [program, lock], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  let got = false;
  const waiting = withLock(lock, async () => {
    got = true;
  });
  assert.equal(lockFile(lock), undefined, "the lock is held");
  assert.equal(got, false);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await waiting;
  assert.ok(got);
});

describe("a token", () => {
  // Mocked time: a token's age doesn't depend on the speed of the machine.
  beforeEach(() => mock.timers.enable({ apis: ["Date"], now: Date.now() }));
  afterEach(() => mock.timers.reset());

  /** Returns a session from a sign-in that long ago. */
  async function signedIn(agoMs: number, scope?: string): Promise<Session> {
    const { grant } = await signIn(provider.issuer, scope === undefined ? {} : { scope });
    const [obtainedMs, expiresMs] = [grant.obtainedMs - agoMs, (grant.expiresMs ?? 0) - agoMs];
    const session = made({ issuer: provider.issuer, ...grant, obtainedMs, expiresMs });
    await keep(session);
    provider.paths.length = 0;
    return session;
  }

  const kept = () => new KeptToken(sessions, SERVER, false);
  const failing = (path: string, status: number) => {
    provider.watch = (one, response) => {
      if (one === path) response.writeHead(status).end();
      return one === path;
    };
  };

  test("is returned until shortly before it expires, without a request", async () => {
    const { accessToken } = await signedIn(HOUR_MS - 120_000);
    assert.equal(await kept().get(), accessToken);
    assert.deepEqual(provider.paths, []);
  });

  test("is renewed shortly before it expires, once for all callers, and saved before it is used", async () => {
    const before = await signedIn(HOUR_MS - 30_000);
    const [one, two] = [kept(), kept()];
    const tokens = await Promise.all([...Array(10).keys()].map((n) => (n % 2 ? one : two).get()));
    assert.equal(new Set(tokens).size, 1);
    assert.notEqual(tokens[0], before.accessToken);
    assert.equal(provider.count("/token"), 1);
    const after = await sessions.read(SERVER);
    assert.equal(after?.accessToken, tokens[0]);
    assert.notEqual(after?.refreshToken, before.refreshToken);
    assert.deepEqual([after?.issuer, after?.clientId, after?.server], [provider.issuer, CLIENT_ID, SERVER]);
  });

  test("is returned until it expires if the provider is down; then the failure is thrown, without an immediate retry", async () => {
    const session = await signedIn(HOUR_MS - 30_000);
    failing("/token", 503);
    assert.equal(await kept().get(), session.accessToken);
    await keep({ ...session, expiresMs: Date.now() });
    const token = kept();
    const { code, message } = await failureOf(token.get());
    assert.equal(code, "SERVER_UNREACHABLE");
    assert.match(message, /Your session could not be renewed.*--token-file/);
    const asked = provider.count("/token");
    await failureOf(token.get());
    assert.equal(provider.count("/token"), asked);
    provider.watch = () => false;
    assert.notEqual(await kept().get(), session.accessToken, "the refresh token was not lost");
  });

  test("of a session that the provider ended throws LOGIN_REQUIRED with what to do", async () => {
    const { refreshToken = "" } = await signedIn(HOUR_MS);
    const form = new URLSearchParams({ token: refreshToken, client_id: CLIENT_ID });
    await fetch(`${provider.issuer}/token/revocation`, { method: "POST", body: form });
    const { code, message } = await failureOf(kept().get());
    assert.equal(code, "LOGIN_REQUIRED");
    assert.match(message, /has expired.*invalid_grant.*svc login --server controller\.example:9090/);
    assert.ok(!message.includes(refreshToken));
  });

  test("without a refresh token is returned until it expires", async () => {
    const session = await signedIn(HOUR_MS - 30_000, "openid");
    assert.equal(session.refreshToken, undefined);
    assert.equal(await kept().get(), session.accessToken);
    await keep({ ...session, expiresMs: Date.now() });
    assert.equal((await failureOf(kept().get())).code, "LOGIN_REQUIRED");
    assert.deepEqual(provider.paths, []);
  });

  test("that the controller refuses is renewed, unless it was just issued", async () => {
    const { accessToken } = await signedIn(0);
    const token = kept();
    token.refused(accessToken);
    assert.equal(await token.get(), accessToken);
    const session = await signedIn(60_000);
    token.refused("another");
    assert.equal(await token.get(), session.accessToken);
    token.refused(session.accessToken);
    assert.notEqual(await token.get(), session.accessToken);
  });

  test("of a TLS session is never sent unencrypted, even if the session became one in the meantime", async () => {
    const session = await signedIn(0);
    const token = kept();
    await token.get();
    await keep({ ...session, tls: true });
    const { code, message } = await failureOf(token.get());
    assert.equal(code, "INVALID_REQUEST");
    assert.match(message, /over TLS.*unencrypted.*--tls/);
    assert.equal(await new KeptToken(sessions, SERVER, true).get(), session.accessToken);
  });

  test("is gone after a sign-out in the meantime", async () => {
    await signedIn(0);
    const token = kept();
    await token.get();
    await sessions.locked(() => sessions.remove(SERVER));
    assert.equal((await failureOf(token.get())).code, "LOGIN_REQUIRED");
  });
});
