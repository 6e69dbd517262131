/**
 * YAML, and JSON as a part of it, as plain values: text in UTF-8, one document, no aliases, anchors,
 * tags, merge keys, directives or duplicate keys, so that a file says what it seems to say.
 */
import {
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type YAMLError,
} from "yaml";
import { messageOf } from "../platform/thrown.ts";

/** The faults that are told of one document: the first of them cause the rest. */
const TOLD_MOST = 5;
/** Brackets within brackets, and indicators ("- - a: b") on one line. */
const NESTED_MOST = 8;
/** Columns of a line's indentation. */
const INDENT_MOST = 64;

const STRICT = {
  version: "1.2",
  schema: "core",
  merge: false,
  strict: true,
  stringKeys: true,
  // Compares each key with each other; plainObject does it in one pass.
  uniqueKeys: false,
  prettyErrors: false,
  // "silent" would also keep quiet about a second document.
  logLevel: "error",
} as const;

export type PlainOutcome =
  | { readonly value: unknown; readonly faults?: never }
  | { readonly value?: never; readonly faults: readonly string[] };

/** Reads a document. Throws nothing: what is wrong is in `faults`, each a clause that begins "line 3, column 7 …". */
export function readPlainYaml(bytes: Uint8Array): PlainOutcome {
  const text = decode(bytes);
  if (text === undefined) return { faults: ["is not text in UTF-8"] };
  if (isNestedTooDeep(text)) return { faults: ["is nested deeper than a registry can be"] };
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { ...STRICT, lineCounter: lines });
    const broken = [...document.errors, ...document.warnings].slice(0, TOLD_MOST);
    if (broken.length > 0) return { faults: broken.map((fault) => describe(fault, lines)) };
    if (document.directives.yaml.explicit) return { faults: ["has a %YAML directive"] };
    return { value: plainValue(document.contents) };
  } catch (error) {
    if (error instanceof Refusal) return { faults: [`${place(lines, error.offset)}: ${error.message}`] };
    // A parser that gives up on a text must not end the process.
    return { faults: [`cannot be parsed: ${messageOf(error)}`] };
  }
}

class Refusal extends Error {
  readonly offset: number;

  constructor(message: string, node: { readonly range?: readonly number[] | null | undefined }) {
    super(message);
    this.offset = node.range?.[0] ?? 0;
  }
}

function place(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}

function describe({ code, message, pos }: YAMLError, lines: LineCounter): string {
  // Messages can quote the text, which may hold anything.
  const told = code === "MULTIPLE_DOCS" ? "a second document begins" : message.replace(/\p{C}/gu, "\ufffd");
  return `${place(lines, pos[0])}: ${told}`;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The parser goes down one call for each level, and a process that runs out of stack within a regular
 * expression is killed. The lexer needs no stack, so the depth is bounded on its tokens.
 */
function isNestedTooDeep(text: string): boolean {
  let brackets = 0;
  let indicators = 0;
  let isLineStart = true;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    const isContent = isScalar;
    isScalar = token === SCALAR_FOLLOWS;
    if (isContent) continue;
    if (isLineStart && brackets === 0 && /^ +$/.test(token) && token.length > INDENT_MOST) return true;
    isLineStart = token === "\n" || token === "\r\n";
    if (isLineStart) indicators = 0;
    else if (token === "[" || token === "{") brackets++;
    else if (token === "]" || token === "}") brackets = Math.max(0, brackets - 1);
    else if (brackets === 0 && /^[-?:]$/.test(token)) indicators++;
    if (brackets > NESTED_MOST || indicators > NESTED_MOST) return true;
  }
  return false;
}

/** The lexer's sign that the next token is the text of a scalar. */
const SCALAR_FOLLOWS = "\u001f";

function plainValue(node: ParsedNode | null): unknown {
  if (node === null) return null;
  if ("anchor" in node && node.anchor !== undefined) throw new Refusal("an anchor (&…) is not taken", node);
  if (node.tag !== undefined) throw new Refusal("a tag (!…) is not taken", node);
  if (isScalar(node)) return node.value;
  if (isSeq<ParsedNode>(node)) return node.items.map(plainValue);
  if (isMap<ParsedNode, ParsedNode | null>(node)) return plainObject(node.items);
  throw new Refusal("an alias (*…) is not taken", node);
}

interface Member {
  readonly key: ParsedNode;
  readonly value: ParsedNode | null;
}

function plainObject(members: readonly Member[]): unknown {
  const entries = new Map<string, unknown>();
  for (const { key, value } of members) {
    const name = plainValue(key);
    if (typeof name !== "string") throw new Refusal("a key is not a text", key);
    if (entries.has(name)) throw new Refusal("a key is there for the second time", key);
    entries.set(name, plainValue(value));
  }
  return Object.fromEntries(entries);
}
