/** The operations of a description, as the router and the validator of the framework take them. */
import type { FastifySchema, HTTPMethods } from "fastify";

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

/** The used members of a described parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string };
}

interface OperationObject {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  /** Bytes, if it differs from the server's default limit. */
  readonly "x-body-limit"?: number;
}

type PathItem = Readonly<Partial<Record<Method, OperationObject>>> & {
  /** Parameters of all its operations. */
  readonly parameters?: readonly Parameter[];
};

/** The used members of a description. */
export interface Described {
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: object;
}

export interface Operation<Id extends string> {
  readonly id: Id;
  readonly method: Uppercase<Method> & HTTPMethods;
  /** The path in the description. There are few of them, so it can be a metric label. */
  readonly path: string;
  readonly queryParameters: readonly Parameter[];
  /** Whether unknown query parameters are rejected. Not where tools append their own parameters to any URL. */
  readonly strictQuery: boolean;
  readonly body: "none" | "json" | "stream";
  /** Bytes; undefined: the server's default. */
  readonly bodyLimit: number | undefined;
  /** Of its parameters and its body. */
  readonly schema: FastifySchema;
}

export function operationsOf<Id extends string>({ paths }: Described): Operation<Id>[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [operationOf<Id>(path, item, method, operation)];
    }),
  );
}

function operationOf<Id extends string>(
  path: string,
  item: PathItem,
  method: Method,
  { operationId, tags = [], parameters = [], requestBody, "x-body-limit": bodyLimit }: OperationObject,
): Operation<Id> {
  const all = [...(item.parameters ?? []), ...parameters];
  const [params, querystring] = [
    all.filter((each) => each.in === "path"),
    all.filter((each) => each.in === "query"),
  ];
  const json = requestBody?.content["application/json"];
  return {
    id: operationId as Id,
    method: method.toUpperCase() as Uppercase<Method>,
    path,
    queryParameters: querystring,
    strictQuery: !tags.includes("probes") && !tags.includes("service"),
    body: requestBody === undefined ? "none" : json === undefined ? "stream" : "json",
    bodyLimit,
    schema: {
      ...(params.length > 0 && { params: objectOf(params) }),
      ...(querystring.length > 0 && { querystring: objectOf(querystring) }),
      ...(json && { body: json.schema }),
    },
  };
}

/** The schema of an object with these parameters. */
function objectOf(parameters: readonly Parameter[]): object {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  return { type: "object", properties };
}
