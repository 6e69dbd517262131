/** The store writes that held heartbeats cost. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Peer } from "./peer.ts";
import { System } from "./system.ts";

let renewals = 0;
let system: System;
before(async () => {
  system = await System.open({}, (store) => ({
    renew: async (...args) => {
      renewals++;
      return store.renew(...args);
    },
  }));
});
after(async () => system.close());

test("a heartbeat that is held without a notification renews once", async () => {
  const peer = await Peer.register(system.nodes, "quiet");
  const before = renewals;
  const { stop, drain } = await peer.heartbeat({ holdMs: 50 });
  assert.deepEqual([stop.length, drain, renewals - before], [0, false, 1]);
});
