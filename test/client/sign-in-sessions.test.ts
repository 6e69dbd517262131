/** Saved sessions: how they are stored, and who may read them. */
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
import { afterEach, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { withLock } from "../../src/client/session/lock.ts";
import { normalServer, type Session } from "../../src/client/session/session.ts";
import { Sessions } from "../../src/client/session/sessions.ts";
import { lockFile } from "../../src/platform/files/file-lock.ts";
import { SERVER, sessionOf, TOKEN } from "./session.ts";
import { failureOf } from "./signed-in.ts";

/** A user that is not this one. */
const OTHER = 65_534;

let directory: string;
let folder: string;
let sessions: Sessions;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-sessions-"));
  folder = join(directory, "state", "svc");
  sessions = new Sessions(folder);
});
afterEach(() => rm(directory, { recursive: true }));

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
      const full = sessionOf({
        tls: true,
        scope: "a b",
        audience: "urn:x",
        organization: "org",
        refreshToken: "r",
      });
      for (const session of [sessionOf(), sessionOf({ expiresMs: undefined }), full]) {
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
    await keep(sessionOf());
    for (const other of ["controller.example:9091", "localhost:9090", `${"x".repeat(500)}:1`]) {
      assert.equal(await sessions.read(other), undefined);
    }
    await rename(sessions.fileOf(SERVER), sessions.fileOf("evil.example:9090"));
    const { code, message } = await failureOf(sessions.read("evil.example:9090"));
    assert.equal(code, "INVALID_REQUEST");
    assert.match(message, /is for another server.*svc logout --server evil\.example:9090/);
  });

  test("is not used if others could have read or changed it", async () => {
    await keep(sessionOf());
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
    assert.match(
      (await failureOf(keep(sessionOf()))).message,
      /The session cannot be saved.*others can write to/,
    );
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
    await keep(sessionOf());
    await chown(path, OTHER, OTHER);
    await refused(/belongs to another user/);
    await sessions.locked(() => sessions.remove(SERVER));
    await keep(sessionOf());
    await chown(folder, OTHER, OTHER);
    await refused(/in a folder that belongs to another user/);
  });

  test("is not used if it isn't a valid session file, and nothing of it is quoted", async () => {
    await keep(sessionOf());
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
