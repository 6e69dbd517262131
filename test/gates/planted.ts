/** Runs a real gate on a checkout with one violation planted in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GATES } from "../../scripts/gates/all.ts";
import { Checkout } from "./checkout.ts";

/** What the gate of that name complains of. */
export async function complaintsOf(checkout: Checkout, name: string): Promise<string[]> {
  const gate = GATES.find((one) => one.name === name);
  assert.ok(gate, `there is no gate ${name}`);
  return gate.complaints(checkout.root);
}

/** A test that a gate complains, in the words of `says`, of a file that is written into a sound checkout. */
export function planted(gate: string, path: string, text: string, says: RegExp): void {
  test(`${gate} refuses ${JSON.stringify(text.trim().slice(0, 90))} in ${path}`, async () => {
    using checkout = new Checkout();
    checkout.write(path, text);
    assert.match((await complaintsOf(checkout, gate)).join("\n"), says);
  });
}
