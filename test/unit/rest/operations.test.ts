import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fastify } from "fastify";
import { type Description, readDescription } from "../../../src/rest/contract/description.ts";
import { addOperations } from "../../../src/rest/contract/operations.ts";

const description: Description<string> = await readDescription("server");
const ids = description.operations.map(({ id }) => id);

/** Adds the operations of the scoring server with handlers that have these names. */
function add(names: readonly string[]): void {
  const handlers = Object.fromEntries(names.map((name) => [name, () => assert.fail(name)]));
  addOperations(fastify(), description, handlers);
}

describe("adds operations with their handlers", () => {
  test("and accepts one handler for each", () => add(ids));

  test("but refuses an operation without a handler", () => {
    const [first = "", ...others] = ids;
    assert.throws(() => add(others), new TypeError(`${first} has no handler`));
  });

  test("but refuses a handler without an operation", () => {
    assert.throws(() => add([...ids, "toString"]), new TypeError("toString is not described"));
  });
});
