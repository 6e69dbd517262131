/** Normalization of hosts for comparison. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hostNameIn, hostNameOf } from "../../../../src/platform/net/host-name.ts";

const OF_REQUESTS: readonly (readonly [host: string, name: string | undefined])[] = [
  ["svc.example", "svc.example"],
  ["SVC.Example:8080", "svc.example"],
  ["svc.example.", "svc.example"],
  ["svc.example.:8080", "svc.example"],
  ["svc.example..", "svc.example."],
  ["10.0.0.5:80", "10.0.0.5"],
  ["[FD00:0:0::05]:8080", "[fd00::5]"],
  ["[fd00::5]", "[fd00::5]"],
  ["", undefined],
  [".", undefined],
  [":8080", undefined],
  ["fd00::5", undefined],
  ["svc.example:80:80", undefined],
  ["svc.example:http", undefined],
  ["[fd00::5]svc.example", undefined],
  // Other parts of a URL are not interpreted.
  ["evil@svc.example", "evil@svc.example"],
  ["evil/svc.example", "evil/svc.example"],
  ["[evil@[fd00::5]", "[evil@[fd00::5]"],
];
for (const [host, name] of OF_REQUESTS)
  test(`a request for ${JSON.stringify(host)} has the host ${name ?? "none"}`, () => {
    assert.equal(hostNameIn(host), name);
  });

const NAMED: readonly (readonly [written: string, name: string])[] = [
  ["svc.example", "svc.example"],
  ["SVC.Example.", "svc.example"],
  ["controller", "controller"],
  ["svc_controller-1", "svc_controller-1"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["2.svc4", "2.svc4"],
  ["10.0.0.5", "10.0.0.5"],
  ["fd00::5", "[fd00::5]"],
  ["[FD00:0::5]", "[fd00::5]"],
];
for (const [written, name] of NAMED)
  test(`${written} is the host ${name}`, () => {
    assert.equal(hostNameOf(written), name);
  });

const NONE = [
  ...["", ".", "..", "a..b", ".example", "*", "*.example", "svc example", "svc,example", "bücher.example"],
  ...[
    "svc.example:8080",
    "svc.example:",
    "[fd00::5]:80",
    "[fd00::5]:",
    "[fd00::g]",
    "[]",
    "[10.0.0.5]",
    "fe80::1%eth0",
  ],
  ...[
    "http://svc.example",
    "svc.example/",
    "you@svc.example",
    "8080",
    "10.0.0",
    "10.0.0.256",
    `${"a".repeat(64)}.example`,
  ],
];
for (const written of NONE)
  test(`${JSON.stringify(written)} is not a host`, () => {
    assert.equal(hostNameOf(written), undefined);
  });
