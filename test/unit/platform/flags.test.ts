/** Flags with and without a value. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tlsSettingsFault } from "../../../src/client/connection/tls-settings.ts";
import { flagsOf } from "../../../src/platform/config/setting.ts";
import { tlsFiles } from "../../../src/processes/parts/tls-settings.ts";

test("splits flags into given and missing ones in their order", () => {
  assert.deepEqual(flagsOf({ "--b": "1", "--c": undefined, "--a": "", "--d": false }), {
    given: ["--b", "--a", "--d"],
    missing: ["--c"],
  });
});

test("names the missing TLS flag", () => {
  const none = { tlsCert: undefined, tlsKey: undefined, tlsClientCa: undefined };
  assert.throws(() => tlsFiles({ ...none, tlsKey: "k" }), { message: /^--tls-cert is missing\./ });
  assert.throws(() => tlsFiles({ ...none, tlsClientCa: "a" }), {
    message: /^--tls-cert and --tls-key are missing\./,
  });
  assert.equal(tlsFiles(none), undefined);
  assert.equal(tlsSettingsFault({ tlsCert: "c" }), "--tls-cert needs --tls-key: give both.");
  assert.equal(tlsSettingsFault({ tlsKey: "k" }), "--tls-key needs --tls-cert: give both.");
  assert.equal(tlsSettingsFault({ tlsCert: "c", tlsKey: "k" }), undefined);
});
