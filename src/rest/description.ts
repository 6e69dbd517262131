/** The description of the interface, api/openapi.yaml as JSON: served as it is, and what routes and validates requests. */
import { readFile } from "node:fs/promises";
import { type Document, OpenAPIBackend } from "openapi-backend";
import type { operations } from "../gen/rest/openapi.ts";
import { Failure } from "../platform/failure.ts";
import { HttpFault } from "./problem.ts";

const FILE = new URL("../gen/rest/openapi.json", import.meta.url);
const METHODS = ["get", "post", "put", "patch", "delete"] as const;

export type OperationId = keyof operations;

export interface Route {
  readonly operationId: OperationId;
  /** The path as described: bounded in number, so fit for a metric's label. */
  readonly path: string;
  readonly takesBody: boolean;
}

export class Description {
  /** The description as JSON text. */
  readonly json: string;
  readonly #api: OpenAPIBackend;

  private constructor(json: string, api: OpenAPIBackend) {
    this.json = json;
    this.#api = api;
  }

  static async load(): Promise<Description> {
    const json = await readFile(FILE, "utf8");
    const document: Document = JSON.parse(json);
    // quick: validators are compiled at first use; the tests prove the description valid.
    const api = new OpenAPIBackend({ definition: document, quick: true, ignoreTrailingSlashes: false });
    await api.init();
    return new Description(json, api);
  }

  get operationIds(): readonly string[] {
    return this.#api.getOperations().map(({ operationId }) => operationId ?? "");
  }

  /** The operation of a request; HEAD is GET without the body. Throws 404 or 405. */
  route(method: string, path: string): Route {
    const operation = this.#match(method === "HEAD" ? "get" : method.toLowerCase(), path);
    if (operation) return operation;
    const allowed = METHODS.filter((other) => this.#match(other, path)).map((other) => other.toUpperCase());
    if (allowed.length === 0) {
      throw new HttpFault(404, "NOT_FOUND", "There is nothing at this path. /ui shows what there is.");
    }
    if (allowed.includes("GET")) allowed.push("HEAD");
    const allow = allowed.join(", ");
    throw new HttpFault(405, "METHOD_NOT_ALLOWED", `This path answers ${allow} only.`, { allow });
  }

  /** Checks a body against the operation's schema. Throws INVALID_REQUEST that names the member. */
  validate(route: Route, body: unknown): void {
    const request = {
      method: "post",
      path: route.path,
      headers: { "content-type": "application/json" },
      body,
    };
    const [error] = this.#api.validateRequest(request, route.operationId).errors ?? [];
    if (error) throw new Failure("INVALID_REQUEST", sentenceOf(error));
  }

  #match(method: string, path: string): Route | undefined {
    const operation = this.#api.matchOperation({ method, path, headers: {} });
    if (!operation) return undefined;
    return {
      operationId: operation.operationId as OperationId,
      path: operation.path,
      takesBody: operation.requestBody !== undefined,
    };
  }
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

function sentenceOf({ keyword, instancePath, params, message }: SchemaError): string {
  const member = instancePath.split("/").slice(2).join(".");
  const inside = member && `${member}.`;
  if (keyword === "required") return `${inside}${String(params["missingProperty"])} is missing.`;
  if (keyword === "additionalProperties") {
    const name = JSON.stringify(`${inside}${String(params["additionalProperty"])}`.slice(0, 80));
    return `${name} is not a member of this request. /ui/spec.json lists those that are.`;
  }
  const allowed = Array.isArray(params["allowedValues"]) ? `: ${params["allowedValues"].join(", ")}` : "";
  return `${member || "The body"} ${message ?? "is not valid"}${allowed}.`;
}
