/** Finds the operation of a request in a description. */
import { HttpFault } from "../http/problem.ts";

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

/** The used members of a described parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly type?: string; readonly pattern?: string; readonly enum?: readonly string[] };
}

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  /** Bytes, if it differs from the server's default limit. */
  readonly "x-body-limit"?: number;
}

type PathItem = Readonly<Partial<Record<Method, Operation>>> & {
  /** Parameters of all its operations. */
  readonly parameters?: readonly Parameter[];
};

/** The used members of a description. References are already resolved. */
export interface Described {
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, PathItem>>;
}

export interface Route<Id extends string> {
  readonly operationId: Id;
  /** The path in the description. There are few of them, so it can be a metric label. */
  readonly path: string;
  /** Values of the path parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly queryParameters: readonly Parameter[];
  readonly takesBody: boolean;
  /** Whether anything in its path, query or body can be invalid. */
  readonly isChecked: boolean;
  /** Whether unknown query parameters are rejected. Not where tools append their own parameters to any URL. */
  readonly strictQuery: boolean;
}

/** A path with its own body limit. */
export interface BodyLimit {
  readonly path: string;
  readonly bytes: number;
}

interface CompiledPath {
  readonly path: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly item: PathItem;
}

export class Routes<Id extends string> {
  readonly #paths: readonly CompiledPath[];

  constructor({ paths }: Described) {
    this.#paths = Object.entries(paths).map(([path, item]) => compile(path, item));
  }

  get operationIds(): readonly string[] {
    return this.#paths.flatMap(({ item }) =>
      METHODS.flatMap((method) => {
        const id = item[method]?.operationId;
        return id === undefined ? [] : [id];
      }),
    );
  }

  get bodyLimits(): readonly BodyLimit[] {
    return this.#paths.flatMap(({ path, item }) => {
      const bytes = item.post?.["x-body-limit"];
      return bytes === undefined ? [] : [{ path, bytes }];
    });
  }

  /** Returns the operation of a request; HEAD is GET without the body. Throws 404 or 405. */
  match(method: string, path: string): Route<Id> {
    const wanted = method === "HEAD" ? "get" : method.toLowerCase();
    for (const compiled of this.#paths) {
      const found = compiled.pattern.exec(path);
      if (found !== null) return routeOf(compiled, wanted, found);
    }
    throw new HttpFault(404, "NOT_FOUND", "There is nothing at this path. See /ui for the available paths.");
  }
}

/** A parameter is a part of one segment without ":", which separates an id from a custom method. */
function compile(path: string, item: PathItem): CompiledPath {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const texts = path.split(/\{\w+\}/).map((text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
  return { path, names, item, pattern: new RegExp(`^${texts.join("([^/:]+)")}$`) };
}

function routeOf<Id extends string>(
  { path, names, item }: CompiledPath,
  method: string,
  found: readonly string[],
): Route<Id> {
  const operation = METHODS.some((known) => known === method) ? item[method as Method] : undefined;
  if (operation === undefined) throw notAllowed(item);
  const tags = operation.tags ?? [];
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  const queryParameters = parameters.filter((parameter) => parameter.in === "query");
  const takesBody = operation.requestBody !== undefined;
  return {
    operationId: operation.operationId as Id,
    path,
    params: Object.fromEntries(names.map((name, index) => [name, decoded(found[index + 1] ?? "")])),
    queryParameters,
    takesBody,
    isChecked: takesBody || queryParameters.length > 0 || parameters.some(hasForm),
    strictQuery: !tags.includes("probes") && !tags.includes("service"),
  };
}

/** Whether a path parameter is restricted to certain values. */
function hasForm({ in: place, schema }: Parameter): boolean {
  return place === "path" && (schema?.pattern !== undefined || schema?.enum !== undefined);
}

function notAllowed(item: PathItem): HttpFault {
  const allowed = METHODS.filter((method) => item[method] !== undefined).map((each) => each.toUpperCase());
  if (allowed.includes("GET")) allowed.push("HEAD");
  const allow = allowed.join(", ");
  return new HttpFault(405, "METHOD_NOT_ALLOWED", `This path only accepts ${allow}.`, { allow });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpFault(
      400,
      "MALFORMED_REQUEST",
      "The path contains a % that is not a valid escape sequence.",
    );
  }
}
