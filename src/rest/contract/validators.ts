/** Validators of requests. */
import { Ajv, type ValidateFunction } from "ajv";
import type { FastifySchemaCompiler } from "fastify";

/** A request is valid as it is: nothing is converted, completed or removed. */
const EXACTLY = { coerceTypes: false, useDefaults: false, removeAdditional: false } as const;
/**
 * Keywords are not checked, because OpenAPI has some that JSON Schema lacks; formats, because the services
 * check them; and schemas, because the tests do: here it would take 30 ms at each start.
 */
const OPENAPI = { strict: false, validateFormats: false, validateSchema: false, meta: false } as const;

/**
 * Returns the compiler of schemas that refer to `components`. It compiles a schema when the first request is validated:
 * all of them would take a tenth of the CPU time of a controller's start, and most are never used.
 */
export function validatorsOf(components: { readonly $id: string }): FastifySchemaCompiler<object> {
  const ajv = new Ajv({ ...EXACTLY, ...OPENAPI, schemas: [components] });
  return ({ schema }) => {
    let compiled: ValidateFunction | undefined;
    return (data: unknown) => {
      compiled ??= ajv.compile(schema);
      return compiled(data) || { error: compiled.errors ?? [] };
    };
  };
}
