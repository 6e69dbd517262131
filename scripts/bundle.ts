/** Bundles OpenAPI descriptions that refer to parts of other files into one description. */
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";

type Tree = Record<string, unknown>;

const COMPONENT = /^\/components\/[^/]+\/[^/]+$/;

/**
 * Returns the description in a YAML file, including everything that it refers to in other files ("other.yaml#/…"):
 * components under their own names, anything else in place of the reference. Throws if a reference does not resolve, or
 * if two files have a component of the same name.
 */
export async function bundle(file: string): Promise<Tree> {
  return new Bundle(resolve(file)).whole();
}

class Bundle {
  readonly #root: string;
  readonly #documents = new Map<string, Promise<Tree>>();
  /** The source file of each component in the result. */
  readonly #sources = new Map<string, string>();
  readonly #added: [pointer: string, value: unknown][] = [];

  constructor(root: string) {
    this.#root = root;
  }

  async whole(): Promise<Tree> {
    const document = (await this.#copy(await this.#load(this.#root), this.#root)) as Tree;
    for (const [pointer, value] of this.#added) place(document, pointer, value);
    return document;
  }

  #load(file: string): Promise<Tree> {
    let document = this.#documents.get(file);
    document ??= readFile(file, "utf8").then((text) => parse(text) as Tree);
    this.#documents.set(file, document);
    return document;
  }

  async #copy(value: unknown, file: string): Promise<unknown> {
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await this.#copy(item, file));
      return items;
    }
    if (typeof value !== "object" || value === null) return value;
    const copied: Tree = {};
    for (const [name, member] of Object.entries(value)) {
      if (name === "$ref" && typeof member === "string") return this.#refer(member, file);
      copied[name] = await this.#copy(member, file);
    }
    return copied;
  }

  /** What replaces a reference in `file` in the result. */
  async #refer(reference: string, file: string): Promise<unknown> {
    const [name = "", pointer = ""] = reference.split("#");
    const target = name === "" ? file : join(dirname(file), name);
    if (!COMPONENT.test(pointer)) return this.#copy(find(await this.#load(target), pointer), target);
    await this.#include(pointer, target);
    return { $ref: `#${pointer}` };
  }

  async #include(pointer: string, file: string): Promise<void> {
    const source = this.#sources.get(pointer);
    if (source === file) return;
    if (source !== undefined) throw new Error(`${pointer} is in ${source} and in ${file}`);
    this.#sources.set(pointer, file);
    const value = find(await this.#load(file), pointer);
    if (file !== this.#root) this.#added.push([pointer, await this.#copy(value, file)]);
  }
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function find(document: Tree, pointer: string): unknown {
  let value: unknown = document;
  for (const step of stepsOf(pointer)) value = (value as Tree | undefined)?.[step];
  if (value === undefined) throw new Error(`#${pointer} does not exist`);
  return value;
}

function place(document: Tree, pointer: string, value: unknown): void {
  const steps = stepsOf(pointer);
  const last = steps.pop() ?? "";
  let parent = document;
  for (const step of steps) {
    parent[step] ??= {};
    parent = parent[step] as Tree;
  }
  parent[last] = value;
}
