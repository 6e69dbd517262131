/** Which Host headers refer to this machine. Others must not be able to register such a name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopbackHost } from "../../../../src/platform/net/loopback.ts";

const OURS = [
  "localhost",
  "LocalHost:8080",
  "localhost:",
  "localhost.",
  "console.localhost:8080",
  "a.b-c.localhost",
  "127.0.0.1",
  "127.255.255.254:65535",
  "[::1]",
  "[::1]:8080",
];
for (const host of OURS)
  test(`${host} is loopback`, () => {
    assert.ok(isLoopbackHost(host));
  });

const OTHERS = [
  "",
  ":8080",
  "evil.example",
  "evil.example:8080",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "evillocalhost",
  ".localhost",
  "evil@127.0.0.1",
  "127.0.0.1@evil.example",
  "evil.example/.localhost",
  "evil.example:80.localhost",
  "evil.example 127.0.0.1",
  "evil.example, localhost",
  "localhost:8080:8080",
  "::1",
  "[::1",
  "[::1]evil.example",
  "[::2]",
  "10.0.0.1",
  "0.0.0.0",
  "128.0.0.1",
];
for (const host of OTHERS)
  test(`${JSON.stringify(host)} is not loopback`, () => {
    assert.ok(!isLoopbackHost(host));
  });
