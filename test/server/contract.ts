/** Checks requests and responses against an OpenAPI description. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";

const FILE = new URL("../../src/gen/rest/controller.json", import.meta.url);

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

export interface Definition {
  readonly paths: Readonly<
    Record<string, { readonly parameters?: readonly Parameter[] } & Readonly<Record<string, unknown>>>
  >;
}

interface Described extends Operation {
  /** The reference of the operation. */
  readonly ref: string;
  /** All parameters, with the references of their schemas. */
  readonly all: readonly (Parameter & { readonly schema: string })[];
}

type Values = Readonly<Record<string, unknown>>;

/** The values of a request's parameters by where they are, and its body. */
export interface Parts extends Readonly<Partial<Record<Parameter["in"], Values | undefined>>> {
  readonly body?: object | undefined;
}

export class Contract {
  readonly #ajv = new Ajv({ strict: false, validateFormats: false });
  readonly #operations: ReadonlyMap<string, Described>;

  constructor(definition: Definition) {
    this.#ajv.addSchema(definition, "description");
    const described = Object.entries(definition.paths).flatMap(([path, { parameters = [], ...methods }]) => {
      const item = `#/paths/${encodeURIComponent(path.replaceAll("/", "~1"))}`;
      return Object.entries(methods).map(([method, each]) => {
        const operation = each as Operation;
        const ref = `${item}/${method}`;
        const all = [...within(item, parameters), ...within(ref, operation.parameters ?? [])];
        return [operation.operationId, { ...operation, ref, all }] as const;
      });
    });
    this.#operations = new Map(described);
  }

  /** The controller's. */
  static async load(): Promise<Contract> {
    return new Contract(JSON.parse(await readFile(FILE, "utf8")));
  }

  /** Fails if the status or the body of a response is not described. */
  check(operationId: string, status: number, body: unknown): void {
    const { ref, responses } = this.#find(operationId);
    const key = Object.hasOwn(responses, status) ? status : "default";
    const response = responses[key]?.$ref ?? `${ref}/responses/${key}`;
    const shown = `${operationId} ${status}: ${JSON.stringify(body).slice(0, 500)}`;
    assert.deepEqual(this.#errors(`${response}/content/application~1json/schema`, body), [], shown);
  }

  /** Whether the description allows a request. */
  allows(operationId: string, parts: Parts): boolean {
    const { ref, all } = this.#find(operationId);
    const given = all.filter((each) => parts[each.in]?.[each.name] !== undefined);
    const refused = given.some((each) => this.#errors(each.schema, parts[each.in]?.[each.name]).length > 0);
    const body = `${ref}/requestBody/content/application~1json/schema`;
    return !refused && (parts.body === undefined || this.#errors(body, parts.body).length === 0);
  }

  #find(operationId: string): Described {
    const found = this.#operations.get(operationId);
    assert.ok(found, `there is no operation ${operationId}`);
    return found;
  }

  #errors(ref: string, value: unknown): readonly object[] {
    const validate = this.#ajv.getSchema(`description${ref}`);
    assert.ok(validate, `${ref} is not described`);
    return validate(value) === true ? [] : (validate.errors ?? []);
  }
}

/** The parameters that are listed at a reference. */
function within(ref: string, parameters: readonly Parameter[]): Described["all"] {
  return parameters.map((each, index) => ({ ...each, schema: `${ref}/parameters/${index}/schema` }));
}
