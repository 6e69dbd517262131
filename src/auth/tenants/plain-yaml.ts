/**
 * Parses YAML, including its subset JSON, into plain values. Accepts one UTF-8 document without aliases, anchors,
 * tags, merge keys, directives or duplicate keys, so that a file means what it appears to say.
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
import { messageOf } from "../../platform/errors.ts";

/** Limit of faults reported for one document; the first ones cause the rest. */
const MAX_REPORTED = 5;
/** Deepest nesting of brackets, and most indicators ("- - a: b") on one line. */
const NESTED_MOST = 8;
/** Deepest indentation of a line, in columns. */
const INDENT_MOST = 64;

const STRICT = {
  version: "1.2",
  schema: "core",
  merge: false,
  strict: true,
  stringKeys: true,
  // The library compares every key with every other; plainObject does it in one pass.
  uniqueKeys: false,
  prettyErrors: false,
  // "silent" would also hide a second document.
  logLevel: "error",
} as const;

export type PlainOutcome =
  | { readonly value: unknown; readonly faults?: never }
  | { readonly value?: never; readonly faults: readonly string[] };

/** Parses a document. Never throws: faults are in `faults`, each a clause that begins "line 3, column 7 …". */
export function readPlainYaml(bytes: Uint8Array): PlainOutcome {
  const text = decode(bytes);
  if (text === undefined) return { faults: ["is not text in UTF-8"] };
  if (isNestedTooDeep(text)) return { faults: ["is nested too deep for a registry"] };
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { ...STRICT, lineCounter: lines });
    const broken = [...document.errors, ...document.warnings].slice(0, MAX_REPORTED);
    if (broken.length > 0) return { faults: broken.map((fault) => describe(fault, lines)) };
    if (document.directives.yaml.explicit) return { faults: ["has a %YAML directive"] };
    return { value: plainValue(document.contents) };
  } catch (error) {
    if (error instanceof Refusal) return { faults: [`${place(lines, error.offset)}: ${error.message}`] };
    // A failing parser must not end the process.
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
  // The parser's messages may quote the text, which can contain anything.
  const reason = code === "MULTIPLE_DOCS" ? "a second document begins" : message.replace(/\p{C}/gu, "\ufffd");
  return `${place(lines, pos[0])}: ${reason}`;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Bounds the nesting before parsing. The parser recurses once per level, and a process that runs out of stack within a
 * regular expression is killed. The lexer is not recursive, so the depth is measured on its tokens.
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

/** The lexer's marker that the next token is the text of a scalar. */
const SCALAR_FOLLOWS = "\u001f";

function plainValue(node: ParsedNode | null): unknown {
  if (node === null) return null;
  if ("anchor" in node && node.anchor !== undefined) throw new Refusal("an anchor (&…) is not allowed", node);
  if (node.tag !== undefined) throw new Refusal("a tag (!…) is not allowed", node);
  if (isScalar(node)) return node.value;
  if (isSeq<ParsedNode>(node)) return node.items.map(plainValue);
  if (isMap<ParsedNode, ParsedNode | null>(node)) return plainObject(node.items);
  throw new Refusal("an alias (*…) is not allowed", node);
}

interface Member {
  readonly key: ParsedNode;
  readonly value: ParsedNode | null;
}

function plainObject(members: readonly Member[]): unknown {
  const entries = new Map<string, unknown>();
  for (const { key, value } of members) {
    const name = plainValue(key);
    if (typeof name !== "string") throw new Refusal("a key is not a string", key);
    if (entries.has(name)) throw new Refusal("duplicate key", key);
    entries.set(name, plainValue(value));
  }
  return Object.fromEntries(entries);
}
