/** An OpenAPI description of api/ as JSON. It is served as it is, and used to route and validate requests. */
import { readFile } from "node:fs/promises";
import { type Document, OpenAPIBackend } from "openapi-backend";
import { Failure } from "../../platform/failure.ts";
import { isObject } from "../../platform/json.ts";
import type { Query } from "./query.ts";
import { type BodyLimit, type Described, type Route, Routes } from "./routes.ts";

const FILES = {
  server: new URL("../../gen/rest/openapi.json", import.meta.url),
  controller: new URL("../../gen/rest/controller.json", import.meta.url),
} as const;

/** `Id` is the union of the operation ids of the description. */
export class Description<Id extends string> {
  /** The description as JSON text. */
  readonly json: string;
  readonly title: string;
  readonly bodyLimits: readonly BodyLimit[];
  readonly operationIds: readonly string[];
  readonly #api: OpenAPIBackend;
  readonly #routes: Routes<Id>;

  private constructor(json: string, api: OpenAPIBackend) {
    this.json = json;
    this.#api = api;
    const described = api.definition as unknown as Described;
    this.title = described.info.title;
    this.#routes = new Routes(described);
    this.bodyLimits = this.#routes.bodyLimits;
    this.operationIds = this.#routes.operationIds;
  }

  /** `isAnonymous`: authentication is disabled. */
  static async load<Id extends string>(
    name: keyof typeof FILES,
    { isAnonymous = false } = {},
  ): Promise<Description<Id>> {
    const contract = await readFile(FILES[name], "utf8");
    const json = isAnonymous ? withoutTokens(contract) : contract;
    const document = checkedHere(JSON.parse(json)) as Document;
    // quick: validators are compiled at first use; the tests check that the description is valid.
    const ajvOpts = { strict: false, validateFormats: false };
    const api = new OpenAPIBackend({ definition: document, quick: true, ajvOpts });
    await api.init();
    return new Description<Id>(json, api);
  }

  /** Returns the operation of a request; HEAD is GET without the body. Throws 404 or 405. */
  route(method: string, path: string): Route<Id> {
    return this.#routes.match(method, path);
  }

  /** Validates parameters and body against the schemas of the operation. Throws INVALID_REQUEST with the member. */
  validate({ operationId, path, params }: Route<Id>, query: Query, body: unknown): void {
    const request = {
      method: "post",
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? "")),
      headers: { "content-type": "application/json" },
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, asGiven(value)])),
      body,
    };
    const [error] = this.#api.validateRequest(request, operationId).errors ?? [];
    if (error) throw new Failure("INVALID_REQUEST", sentenceOf(error));
  }
}

/**
 * Rules about the content of strings in bodies and lists, and about combinations of members. The services check these
 * for every transport, with their own messages. In the schemas they inform readers and generators of requests.
 */
const CHECKED_BY_SERVICES = new Set(["pattern", "uniqueItems", "not", "oneOf", "anyOf"]);
const BODIES_AND_LISTS = new Set(["schemas", "requestBody", "items"]);

/** Removes the rules that the services check from a description. */
function checkedHere(part: unknown, isInside = false): unknown {
  if (Array.isArray(part)) return part.map((item) => checkedHere(item, isInside));
  if (!isObject(part)) return part;
  const members = Object.entries(part).filter(([name]) => !(isInside && CHECKED_BY_SERVICES.has(name)));
  return Object.fromEntries(
    members.map(([name, member]) => [name, checkedHere(member, isInside || BODIES_AND_LISTS.has(name))]),
  );
}

/** Removes tokens and the errors about them from a description. */
function withoutTokens(json: string): string {
  return JSON.stringify(JSON.parse(json), (key, value: unknown) =>
    TOKEN_MEMBERS.has(key) ? undefined : value,
  );
}

/** Names of members to remove at any depth; nothing else has these names. */
const TOKEN_MEMBERS = new Set(["security", "securitySchemes", "401", "Unauthenticated"]);

/** Converts a value back to query text; the validator parses numbers itself. */
function asGiven(value: Query[string]): string | string[] {
  return typeof value === "object" ? [...value] : String(value);
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
    return `${name} is not a member of this request. See /ui/spec.json for its members.`;
  }
  const allowed = Array.isArray(params["allowedValues"]) ? `: ${params["allowedValues"].join(", ")}` : "";
  return `${member || "The body"} ${message ?? "is not valid"}${allowed}.`;
}
