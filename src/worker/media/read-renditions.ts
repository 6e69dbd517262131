/**
 * Renditions in storages as earlier tasks of the same plan read them. The plan fixes the versions of the
 * objects, so its later tasks need not look them up or read the manifests again.
 */
import { randomInt } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { ObjectVersion } from "../../media/objects/object.ts";
import type { Rendition } from "../../titles/title.ts";

/** Objects of all renditions together, at some 300 bytes each. */
const MAX_OBJECTS = 100_000;
/** Objects that each later task verifies. */
const VERIFIED_BY_TASK = 64;

interface Read {
  readonly rendition: Rendition;
  /** Of the manifests and segments. */
  readonly versions: ReadonlyMap<string, ObjectVersion>;
}

/** The least recently used are forgotten first. */
export function readRenditions(): LRUCache<string, ReadRendition> {
  return new LRUCache({ maxSize: MAX_OBJECTS, sizeCalculation: ({ versions }) => versions.size });
}

export class ReadRendition implements Read {
  readonly rendition: Rendition;
  readonly versions: Read["versions"];
  /** Where the next task begins to verify. Starts at a random object, so that nodes verify different ones. */
  #next: number;

  constructor({ rendition, versions }: Read) {
    this.rendition = rendition;
    this.versions = versions;
    this.#next = randomInt(versions.size);
  }

  /**
   * Returns the objects that the next task verifies. They follow those of the previous task, so that the
   * tasks of a long film verify all objects.
   */
  turn(): readonly string[] {
    const files = [...this.versions.keys()];
    const first = this.#next;
    const count = Math.min(VERIFIED_BY_TASK, files.length);
    this.#next = (first + count) % files.length;
    return [...files, ...files].slice(first, first + count);
  }
}
