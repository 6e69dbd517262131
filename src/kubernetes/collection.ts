/** The known resources of one kind in one namespace. */
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../platform/json.ts";
import { ApiFault, faultOfStatus } from "./api-fault.ts";
import { type Resource, readResource, versionOf } from "./resource.ts";

export class Collection {
  #byName = new Map<string, Resource>();
  #revision = 0;

  /** Changes when a resource was added or removed, or changed in anything except its status and version. */
  get revision(): number {
    return this.#revision;
  }

  get resources(): Iterable<Resource> {
    return this.#byName.values();
  }

  get(name: string): Resource | undefined {
    return this.#byName.get(name);
  }

  /** Replaces the collection with a complete list. */
  replace(items: readonly unknown[]): void {
    const listed = items.map((item) => this.#kept(resourceIn(item, "an item of its list")));
    const isSame = listed.length === this.#byName.size && listed.every((one) => this.#saysTheSame(one));
    if (!isSame) this.#revision++;
    this.#byName = new Map(listed.map((resource) => [resource.name, resource]));
  }

  /**
   * Applies a line of a watch and returns its resource version. Throws ApiFault if the resources must be listed again.
   */
  take(line: string): string {
    const event = parsed(line);
    const { type, object } = event;
    if (type === "ERROR") {
      const code = isObject(object) && typeof object["code"] === "number" ? object["code"] : 500;
      throw faultOfStatus(code, object, "a watch");
    }
    const version = versionOf(object);
    if (version === undefined) throw malformed("an event without a version");
    if (type === "BOOKMARK") return version;
    const resource = this.#kept(resourceIn(object, "an event"));
    if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")
      throw malformed("an event of an unknown type");
    if (type === "DELETED" || !this.#saysTheSame(resource)) this.#revision++;
    if (type === "DELETED") this.#byName.delete(resource.name);
    else this.#byName.set(resource.name, resource);
    return version;
  }

  /** Whether the resource equals the known one. An equal spec is the same object. */
  #saysTheSame({ name, uid, createdAt, deleting, spec }: Resource): boolean {
    const before = this.#byName.get(name);
    if (before?.uid !== uid || before.createdAt !== createdAt) return false;
    return before.deleting === deleting && before.spec === spec;
  }

  /** Keeps the known spec object if the spec is equal, so that it need not be read again. */
  #kept(resource: Resource): Resource {
    const before = this.#byName.get(resource.name);
    const same = before?.uid === resource.uid && isDeepStrictEqual(before.spec, resource.spec);
    return same ? { ...resource, spec: before.spec } : resource;
  }
}

function parsed(line: string): Record<string, unknown> {
  try {
    const event: unknown = JSON.parse(line);
    if (isObject(event)) return event;
  } catch {
    // Handled like a value that is not an object.
  }
  throw malformed("a line that is not an event");
}

function resourceIn(value: unknown, where: string): Resource {
  const resource = readResource(value);
  if (resource === undefined) throw malformed(`something other than an API object in ${where}`);
  return resource;
}

function malformed(what: string): ApiFault {
  return new ApiFault("malformed", `The API server sent ${what}.`);
}
