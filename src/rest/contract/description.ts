/** An OpenAPI description of api/ as JSON. It is served as it is, and used to route and validate requests. */
import { readFile } from "node:fs/promises";
import { isObject } from "../../platform/json.ts";
import { type Described, type Operation, operationsOf } from "./operation.ts";

const FILES = {
  server: new URL("../../gen/rest/openapi.json", import.meta.url),
  controller: new URL("../../gen/rest/controller.json", import.meta.url),
} as const;

/** The id under which the framework's validator knows the components of a description. */
const COMPONENTS = "description";

/** `Id` is the union of the operation ids of the description. */
export interface Description<Id extends string> {
  /** The description as JSON text. */
  readonly json: string;
  readonly title: string;
  readonly operations: readonly Operation<Id>[];
  /** The schema that the schemas of the operations refer to. */
  readonly components: { readonly $id: string };
}

/** `isAnonymous`: authentication is disabled. */
export async function readDescription<Id extends string>(
  name: keyof typeof FILES,
  { isAnonymous = false } = {},
): Promise<Description<Id>> {
  const contract = await readFile(FILES[name], "utf8");
  const json = isAnonymous ? withoutTokens(contract) : contract;
  const described = checkedHere(JSON.parse(json)) as Described;
  return {
    json,
    title: described.info.title,
    operations: operationsOf(described),
    components: { $id: COMPONENTS, ...{ components: described.components } },
  };
}

/**
 * Rules about the content of strings in bodies and lists, and about combinations of members. The services check these
 * for every transport, with their own messages. In the schemas they inform readers and generators of requests.
 */
const CHECKED_BY_SERVICES = new Set(["pattern", "uniqueItems", "not", "oneOf", "anyOf"]);
const BODIES_AND_LISTS = new Set(["schemas", "requestBody", "items"]);

/** Removes the rules that the services check from a description, and makes its references refer to COMPONENTS. */
function checkedHere(part: unknown, isInside = false): unknown {
  if (Array.isArray(part)) return part.map((item) => checkedHere(item, isInside));
  if (!isObject(part)) return part;
  const members = Object.entries(part).filter(([name]) => !(isInside && CHECKED_BY_SERVICES.has(name)));
  return Object.fromEntries(
    members.map(([name, member]) => {
      if (name === "$ref") return [name, `${COMPONENTS}${String(member)}`];
      return [name, checkedHere(member, isInside || BODIES_AND_LISTS.has(name))];
    }),
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
