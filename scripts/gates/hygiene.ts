/** Nothing is disabled: no skipped or exclusive tests, no silenced checks, no notes of work to do. */
import type { Node } from "oxc-parser";
import type { Gate } from "./gate.ts";
import { nameOf, type Source, sources } from "./source.ts";

const SWITCHES = new Set(["only", "skip", "todo"]);

const TEST_FUNCTIONS = new Set(["test", "it", "describe", "suite"]);

const NOTES: readonly (readonly [RegExp, string])[] = [
  [/@ts-(ignore|nocheck|expect-error)/, "silences the compiler"],
  [/(eslint|oxlint)-disable(?!-next-line )/, "silences the linter for more than the next line"],
  [/\b(TODO|FIXME|XXX|HACK)\b/, "leaves work as a note"],
];

export const hygiene: Gate = {
  name: "hygiene",
  rule: "no .only, .skip or todo in tests, no silenced compiler, no notes of work to do",
  complaints: async (root) =>
    sources(root).flatMap((source) => [...testFaults(source), ...commentFaults(source)]),
};

function testFaults(source: Source): string[] {
  if (!source.path.startsWith("test/")) return [];
  return source.nodes.flatMap((node) => {
    const found = switchOf(node);
    return found === undefined
      ? []
      : [`${source.path}:${source.lineAt(node.start)} uses "${found}": every test runs, every time`];
  });
}

/** test.only(…), t.skip(), it("…", { todo: true }, …). */
function switchOf(node: Node): string | undefined {
  if (node.type !== "CallExpression") return undefined;
  const { callee } = node;
  const name = callee.type === "MemberExpression" ? nameOf(callee.property) : undefined;
  if (name !== undefined && SWITCHES.has(name)) return name;
  if (callee.type !== "Identifier" && callee.type !== "MemberExpression") return undefined;
  const called = callee.type === "Identifier" ? callee.name : name;
  return called !== undefined && TEST_FUNCTIONS.has(called) ? optionOf(node.arguments) : undefined;
}

function optionOf(given: readonly Node[]): string | undefined {
  return given
    .flatMap((argument) => (argument.type === "ObjectExpression" ? argument.properties : []))
    .map((property) => (property.type === "Property" ? nameOf(property.key) : undefined))
    .find((key) => key !== undefined && SWITCHES.has(key));
}

function commentFaults(source: Source): string[] {
  return source.comments.flatMap((comment) =>
    NOTES.filter(([pattern]) => pattern.test(comment.value)).map(
      ([, fault]) => `${source.path}:${source.lineAt(comment.start)} ${fault}: ${comment.value.trim()}`,
    ),
  );
}
