/** Parses XML strictly, and limits how much a short text can expand to. */
import { SaxesParser, type SaxesTagNS } from "saxes";

export interface XmlElement {
  /** Name without prefix; empty in another namespace than that of the root. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its text, without that of its children. */
  readonly text: string;
}

/** A text is not XML, or exceeds a limit. The message continues "The text …". */
export class XmlFault extends Error {}

/** Messages of the parser: line, column and fault. */
const FAULT = /^(\d+:\d+): (.*?)\.*$/s;

const MAX_DEPTH = 32;
const MAX_ELEMENTS = 500_000;
const MAX_ATTRIBUTES = 100;

/** Returns the root element. Throws XmlFault, also for document type declarations, which can define entities. */
export function parseXml(text: string): XmlElement {
  const tree = new Tree();
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", ({ message }) => {
    const [, place = "", what = message] = FAULT.exec(message) ?? [];
    throw new XmlFault(`has a fault at ${place} (${what.slice(0, 200)})`);
  });
  parser.on("doctype", () => {
    throw new XmlFault("has a document type declaration, which manifests do not need");
  });
  parser.on("opentag", (tag) => tree.open(tag));
  parser.on("closetag", () => tree.close());
  parser.on("text", (part) => tree.addText(part));
  parser.on("cdata", (part) => tree.addText(part));
  parser.write(text).close();
  if (tree.root === undefined) throw new XmlFault("has no element");
  return tree.root;
}

/** Yields an element and all elements below it, in document order. */
export function* elementsIn(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsIn(child);
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

class Tree {
  root: XmlElement | undefined;
  #namespace = "";
  #elements = 0;
  readonly #open: OpenElement[] = [];

  open({ local, uri, attributes }: SaxesTagNS): void {
    if (++this.#elements > MAX_ELEMENTS) throw new XmlFault(`has more than ${MAX_ELEMENTS} elements`);
    if (this.#open.length >= MAX_DEPTH) throw new XmlFault(`nests elements more than ${MAX_DEPTH} deep`);
    const given = Object.values(attributes).map(({ name, value }) => [name, value] as const);
    if (given.length > MAX_ATTRIBUTES)
      throw new XmlFault(`has <${local}> with more than ${MAX_ATTRIBUTES} attributes`);
    if (this.root === undefined) this.#namespace = uri;
    const name = uri === this.#namespace ? local : "";
    const element: OpenElement = { name, attributes: new Map(given), children: [], text: "" };
    this.#open.at(-1)?.children.push(element);
    this.root ??= element;
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop();
  }

  addText(text: string): void {
    const last = this.#open.at(-1);
    if (last !== undefined) last.text += text;
  }
}
