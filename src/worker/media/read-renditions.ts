/**
 * Renditions in storages as the tasks of a plan found them. The plan says which versions the objects have, so a further task
 * of it needs to look neither for them nor at the manifests.
 */
import { randomInt } from "node:crypto";
import type { ObjectVersion } from "../../media/objects/object.ts";
import type { Rendition } from "../../titles/title.ts";

/** Objects of all renditions together, at some 300 bytes each. */
const MAX_OBJECTS = 100_000;
/** Objects that a further task verifies. */
const VERIFIED_BY_TASK = 64;

interface Read {
  readonly rendition: Rendition;
  /** Of the manifests and segments. */
  readonly versions: ReadonlyMap<string, ObjectVersion>;
}

export class ReadRenditions {
  /** The longest unused first. */
  readonly #read = new Map<string, ReadRendition>();
  #objects = 0;

  get(key: string): ReadRendition | undefined {
    const found = this.#read.get(key);
    if (found === undefined) return undefined;
    this.#read.delete(key);
    this.#read.set(key, found);
    return found;
  }

  put(key: string, read: Read): void {
    this.forget(key);
    this.#read.set(key, new ReadRendition(read));
    this.#objects += read.versions.size;
    for (const oldest of this.#read.keys()) {
      if (this.#objects <= MAX_OBJECTS) break;
      this.forget(oldest);
    }
  }

  forget(key: string): void {
    this.#objects -= this.#read.get(key)?.versions.size ?? 0;
    this.#read.delete(key);
  }
}

export class ReadRendition implements Read {
  readonly rendition: Rendition;
  readonly versions: Read["versions"];
  /** Nodes begin at different objects. */
  #next: number;

  constructor({ rendition, versions }: Read) {
    this.rendition = rendition;
    this.versions = versions;
    this.#next = randomInt(versions.size);
  }

  /** Returns the objects that the next task verifies: by turns, so that tasks of a long film verify all of them. */
  turn(): readonly string[] {
    const files = [...this.versions.keys()];
    const first = this.#next;
    const count = Math.min(VERIFIED_BY_TASK, files.length);
    this.#next = (first + count) % files.length;
    return [...files, ...files].slice(first, first + count);
  }
}
