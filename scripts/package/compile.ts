/** Compiles TypeScript to JavaScript. Every token keeps its line and column, so stack traces match the sources. */
import { stripTypeScriptTypes } from "node:module";
import { nameOf, parseText } from "../gates/source.ts";
import { specifierIn } from "../gates/specifiers.ts";

/**
 * Replaces types with spaces, like Node.js when it runs the sources, and ".ts" with ".js" in relative imports. Throws
 * if the syntax is not erasable.
 */
export function compile(path: string, text: string): string {
  let compiled = stripTypeScriptTypes(text);
  for (const node of parseText(path, compiled).nodes) {
    const specifier = specifierIn(node);
    if (specifier === undefined || !/^\.{1,2}\/.*\.ts$/.test(nameOf(specifier) ?? "")) continue;
    // The two characters before the closing quote.
    compiled = `${compiled.slice(0, specifier.end - 3)}js${compiled.slice(specifier.end - 1)}`;
  }
  return compiled;
}
