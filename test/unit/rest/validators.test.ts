import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDescription } from "../../../src/rest/contract/description.ts";
import { validatorsOf } from "../../../src/rest/contract/validators.ts";

describe("validates requests by the description", () => {
  for (const name of ["server", "controller"] as const) {
    test(`every schema of the ${name} compiles`, async () => {
      const { operations, components } = await readDescription<string>(name);
      const compile = validatorsOf(components);
      for (const { id, schema } of operations) {
        for (const [httpPart, part] of Object.entries(schema)) {
          const validate = compile({ schema: part as object, method: "", url: id, httpPart });
          assert.doesNotThrow(() => validate({}), `${id}: ${httpPart}`);
        }
      }
    });
  }

  test("and reports the fault", () => {
    const compile = validatorsOf({ $id: "none" });
    const validate = compile({ schema: { type: "object", required: ["id"] }, method: "", url: "" });
    assert.equal(validate({ id: 1 }), true);
    const { error } = validate({}) as unknown as { error: { keyword: string }[] };
    assert.deepEqual(
      error.map(({ keyword }) => keyword),
      ["required"],
    );
  });
});
