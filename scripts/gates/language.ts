/** Comments, messages and pages avoid phrases that read like a translation (CONTRIBUTING.md, "Style"). */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "oxc-parser";
import type { Gate } from "./gate.ts";
import { type Source, sources } from "./source.ts";

/** Each phrase with what to write instead. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(tells|told)\b/i, "reports, logs, returns, states"],
  [/\bof (now|before)\b/i, "current, previous"],
  [/\bwhatever\b/i, "any, regardless of"],
  [/\bas all else does\b/i, "like the others"],
  [/\bwhat is over\b/i, "what has ended"],
  [/\bthat there (is|are) not\b/i, "missing, unknown"],
  [/\bis no (gate|statistic|column)\b/i, "isn't a valid …"],
  [/\bpieces? of work\b/i, "task"],
];

const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/**/*.md"];
/** The style page quotes what it forbids. */
const QUOTES = /^\| (commit|comment|log|error|console|name|test) \|/;

/** Sources that quote what the gate forbids. */
const QUOTING = new Set(["scripts/gates/language.ts", "test/gates/rules.test.ts"]);

export const language: Gate = {
  name: "language",
  rule: "comments, messages and pages use the usual words of the field (CONTRIBUTING.md)",
  complaints: async (root) => [...sources(root).flatMap(sourceFaults), ...pageFaults(root)],
};

function sourceFaults(source: Source): string[] {
  if (!/^(src|web\/src|test|bench|scripts)\//.test(source.path) || QUOTING.has(source.path)) return [];
  const comments = source.comments.map(({ start, value }) => ({ start, text: value }));
  const messages = source.nodes.flatMap(messagesOf);
  return [...comments, ...messages].flatMap(({ start, text }) =>
    faultsOf(text).map((fault) => `${source.path}:${source.lineAt(start)} ${fault}`),
  );
}

/** Texts with a space in them: sentences, and no names or codes. */
function messagesOf(node: Node): { start: number; text: string }[] {
  const text =
    node.type === "Literal" && typeof node.value === "string"
      ? node.value
      : node.type === "TemplateElement"
        ? node.value.raw
        : node.type === "JSXText"
          ? node.value
          : "";
  return text.includes(" ") ? [{ start: node.start, text }] : [];
}

function pageFaults(root: string): string[] {
  return globSync(PAGES, { cwd: root }).flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        QUOTES.test(line) ? [] : faultsOf(line).map((fault) => `${path}:${index + 1} ${fault}`),
      ),
  );
}

function faultsOf(text: string): string[] {
  return PHRASES.flatMap(([phrase, instead]) => {
    const found = phrase.exec(text)?.[0];
    return found === undefined ? [] : [`says "${found}"; write ${instead}`];
  });
}
