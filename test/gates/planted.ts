/** Runs a real gate on a checkout with one violation planted in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GATES } from "../../scripts/gates/all.ts";
import { Checkout } from "./checkout.ts";

/** Returns the complaints of a gate, by its name. */
export async function complaintsOf(checkout: Checkout, name: string): Promise<string[]> {
  const gate = GATES.find((one) => one.name === name);
  assert.ok(gate, `unknown gate ${name}`);
  return gate.complaints(checkout.root);
}

/** Tests that a gate reports a file that is added to a valid checkout, with a complaint that matches `says`. */
export function planted(gate: string, path: string, text: string, says: RegExp): void {
  test(`${gate} refuses ${JSON.stringify(text.trim().slice(0, 90))} in ${path}`, async () => {
    using checkout = new Checkout();
    checkout.write(path, text);
    assert.match((await complaintsOf(checkout, gate)).join("\n"), says);
  });
}
