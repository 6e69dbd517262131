/** Checks responses against api/controller.yaml. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { type Document, OpenAPIBackend } from "openapi-backend";

const FILE = new URL("../../src/gen/rest/controller.json", import.meta.url);

export class Contract {
  readonly #api: OpenAPIBackend;

  private constructor(api: OpenAPIBackend) {
    this.#api = api;
  }

  static async load(): Promise<Contract> {
    const definition: Document = JSON.parse(await readFile(FILE, "utf8"));
    const api = new OpenAPIBackend({
      definition,
      quick: true,
      ajvOpts: { strict: false, validateFormats: false },
    });
    await api.init();
    return new Contract(api);
  }

  /** Fails if the status or the body of a response is not described. */
  check(operationId: string, status: number, body: unknown): void {
    const { errors } = this.#api.validateResponse(body, operationId, status);
    assert.deepEqual(errors ?? [], [], `${operationId} ${status}: ${JSON.stringify(body).slice(0, 500)}`);
  }
}
