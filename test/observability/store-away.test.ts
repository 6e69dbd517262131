import assert from "node:assert/strict";
import { test } from "node:test";
import { ControllerProcess } from "../server/controller-process.ts";
import { exposed } from "./expressions.ts";
import { RULES } from "./rules.ts";

test("a controller whose store has never answered reports that, and its alerts recognize it as a controller", async () => {
  const args = ["--database-url", "postgres://svc:secret@127.0.0.1:1/svc"];
  await using controller = await ControllerProcess.start({ args, ready: false });
  const text = await (await fetch(`${controller.metrics}/metrics`)).text();
  assert.match(text, /^svc_store_up 0$/m);
  const known = exposed(text);
  const mark = /\bsvc_store_up\b/;
  for (const alert of ["SvcNoController", "SvcControllerDown", "SvcCrashLoop", "SvcStoreUnavailable"]) {
    const { expr } = RULES.find((rule) => rule.alert === alert) ?? assert.fail(alert);
    assert.match(expr, mark, alert);
  }
  assert.ok(known.has("svc_store_up"));
  assert.ok(!known.has("svc_queue_ready"), "it appears once the store has answered");
});
