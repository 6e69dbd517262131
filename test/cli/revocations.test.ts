/** Input and output of the commands on revoked tokens. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { instantText, parseDeadline, parseInstant } from "../../src/cli/flags/instants.ts";
import { revocationTable } from "../../src/cli/tenants/revocation-text.ts";
import { tokenToRevoke } from "../../src/cli/tenants/token-claims.ts";
import { tableTerminal } from "../../src/cli/terminal/terminal.ts";
import { type Revocation, RevocationSchema } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import { newSigner, signToken } from "../auth/tokens.ts";
import { HOSTILE, ID, NOW } from "./jobs.ts";

const TERMINAL = tableTerminal({}, { COLUMNS: "130", LANG: "C.UTF-8" });

const revocation = (init: Exclude<MessageInitShape<typeof RevocationSchema>, Revocation>) =>
  create(RevocationSchema, { id: ID, revokedBy: "boss", createTime: timestampFromMs(NOW - 60_000), ...init });

test("prints one line per revocation: what, expiry, age, author and reason", () => {
  const entries = [
    revocation({
      what: { case: "tokenId", value: "4f1a" },
      expireTime: timestampFromMs(NOW),
      reason: "lost",
    }),
    revocation({ what: { case: "subject", value: HOSTILE }, revokedBy: "" }),
    revocation({ what: { case: "issuedBefore", value: timestampFromMs(NOW) } }),
  ];
  const at = instantText(NOW);
  assert.deepEqual(
    revocationTable(entries, { ...TERMINAL, columns: Number.POSITIVE_INFINITY }, NOW, { heading: true }).map(
      (line) => line.replaceAll(/ {2,}/g, "  "),
    ),
    [
      "ID  REVOKED  WHAT  UNTIL  AGE  BY  REASON",
      `${ID}  token id  4f1a  ${at}  1m  boss  lost`,
      `${ID}  subject  \\u{1b}[2J\\u{202e}name\\u{7}\\nSUCCEEDED  unrevoked  1m  -`,
      `${ID}  issued before  ${at}  unrevoked  1m  boss`,
    ],
  );
});

test("keeps the id and what is revoked on a narrow terminal", () => {
  const entry = revocation({ what: { case: "subject", value: "alice" } });
  const [line = ""] = revocationTable([entry], { ...TERMINAL, columns: 80 }, NOW, { heading: false });
  assert.match(line, new RegExp(`^${ID}  subject +alice`));
});

describe("times", () => {
  test("are now, or have a zone", () => {
    assert.equal(parseInstant("2026-05-17T09:30:00Z"), Date.UTC(2026, 4, 17, 9, 30));
    assert.equal(parseInstant("2026-05-17T11:30+02:00"), Date.UTC(2026, 4, 17, 9, 30));
    assert.ok(Math.abs(parseInstant("now") - Date.now()) < 60_000);
    for (const text of [
      "",
      "yesterday",
      "2026-05-17",
      "2026-05-17T09:30:00",
      "2026-13-17T09:30:00Z",
      "1750000000",
    ])
      assert.throws(() => parseInstant(text), /Use now, or a time with its zone/, text);
  });

  test("in the future may also be relative to now", () => {
    const day = 86_400_000;
    assert.ok(Math.abs(parseDeadline("30d") - Date.now() - 30 * day) < 60_000);
    assert.ok(Math.abs(parseDeadline("45m") - Date.now() - 45 * 60_000) < 60_000);
    assert.equal(parseDeadline("2030-01-01T00:00:00Z"), Date.UTC(2030, 0, 1));
    for (const text of ["", "30", "30 d", "-1d", "1.5h", "9999999d", "now"])
      assert.throws(() => parseDeadline(text), /Use a time from now/, text);
  });
});

describe("a token to revoke", () => {
  const signer = newSigner("one");
  const exp = Math.floor(Date.now() / 1000) + 600;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-revoke-"));
  });
  after(() => rm(folder, { recursive: true }));

  const read = async (text: string) => {
    const file = join(folder, "token");
    await writeFile(file, text);
    return tokenToRevoke(file);
  };

  test("provides its id and expiry", async () => {
    const token = signToken(signer, { jti: "the id", exp });
    assert.deepEqual(await read(`${token}\n`), { tokenId: "the id", expiresAt: exp * 1000 });
  });

  const part = (claims: string) => `x.${Buffer.from(claims).toString("base64url")}.y`;
  const faults: readonly [what: string, text: () => string, shown: RegExp][] = [
    ["without an id", () => signToken(signer, { exp }), /has no id \(jti\).*--subject/],
    ["with a number for its id", () => signToken(signer, { jti: 7, exp }), /has no id/],
    [
      "without an expiry",
      () => signToken(signer, { jti: "a", exp: undefined }),
      /does not say when it expires/,
    ],
    ["that has expired", () => signToken(signer, { jti: "a", exp: 1_700_000_000 }), /already refused/],
    ["that isn't a JWT", () => "opaque-secret-text", /isn't a signed JWT.*--token-id/],
    ["of two parts", () => part(`{"jti":"a","exp":${exp}}`).slice(0, -2), /isn't a signed JWT/],
    ["with two ids", () => part(`{"jti":"a","jti":"b","exp":${exp}}`), /isn't a signed JWT/],
    ["that is empty", () => "\n", /is empty/],
    ["of several words", () => "a secret-text", /characters that are invalid in a bearer token/],
  ];
  for (const [what, text, shown] of faults) {
    test(`${what} is refused and not quoted`, async () => {
      await assert.rejects(read(text()), (thrown: Error & { code?: string }) => {
        assert.equal(thrown.code, "INVALID_REQUEST");
        assert.match(thrown.message, shown);
        assert.ok(!thrown.message.includes("secret-text"));
        return true;
      });
    });
  }

  test("in a missing file is reported with its option", async () => {
    await assert.rejects(
      tokenToRevoke(join(folder, "none")),
      /--token: ".*none" cannot be read: no such file or directory\./,
    );
  });
});
