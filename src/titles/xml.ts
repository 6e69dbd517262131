/** Parses XML strictly. */
import { createRequire } from "node:module";

export interface XmlElement {
  /** An empty text if there is none. */
  getAttribute(name: string): string;
  hasAttribute(name: string): boolean;
  /** Descendants in the order of the document. */
  getElementsByTagName(name: string): ArrayLike<XmlElement>;
}

interface Parser {
  parseFromString(
    text: string,
    mimeType: string,
  ): { readonly documentElement: XmlElement | null } | undefined;
}

type ErrorHandler = (level: string, message: string) => void;

const require = createRequire(import.meta.url);
// Imported, the types of the package would make those of browsers known everywhere.
const { DOMParser } = require("@xmldom/xmldom") as {
  readonly DOMParser: new (options: { readonly errorHandler: ErrorHandler }) => Parser;
};

/** Returns the root element, or what is wrong with the text. */
export function parseXml(text: string): XmlElement | string {
  let fault: string | undefined;
  const errorHandler: ErrorHandler = (_, message) => {
    fault ??= message.split("\n")[0];
  };
  try {
    const root = new DOMParser({ errorHandler }).parseFromString(text, "application/xml")?.documentElement;
    return fault ?? root ?? "it has no element";
  } catch (error) {
    return fault ?? String(error);
  }
}

export function descendants(element: XmlElement, name: string): readonly XmlElement[] {
  return Array.from(element.getElementsByTagName(name));
}
