/** Reads the XML of responses of S3. */
import { isObject, type JsonObject } from "../../platform/json.ts";
import { ObjectFault } from "./object.ts";

/**
 * Returns the root element, which must have this name. Throws ObjectFault. Loads the parser only when the
 * first text is parsed.
 */
export async function rootOf(xml: string, name: string): Promise<JsonObject> {
  const { parseXML } = await import("@aws-sdk/xml-builder");
  try {
    const document: unknown = parseXML(xml);
    const root = isObject(document) ? document[name] : undefined;
    if (isObject(root)) return root;
  } catch (cause) {
    throw unusable({ cause });
  }
  throw unusable();
}

/** Returns elements as a list; the parser returns a list only for several. */
export function elementsOf(value: unknown): readonly JsonObject[] {
  const all: readonly unknown[] = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return all.filter((one) => isObject(one));
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function unusable(options?: ErrorOptions): ObjectFault {
  return new ObjectFault("UNAVAILABLE", "its storage sends a response that cannot be understood", options);
}
