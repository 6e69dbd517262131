/** What the scripts for bash and zsh have in common: arms of `case`, in the quotes of sh. */
import type { CommandSpec, Values } from "./spec.ts";

/** An arm for all options that take the same values, each by its path and flag; then the function returns. */
export function optionArms(specs: readonly CommandSpec[], actionOf: (values: Values) => string): string {
  const options = specs.flatMap(({ path, options: own }) =>
    own.flatMap(({ flags, values }) =>
      values === undefined
        ? []
        : flags.map((flag) => ({ name: `${path} ${flag}`, action: actionOf(values) })),
    ),
  );
  return [...Map.groupBy(options, ({ action }) => action)]
    .map(([action, same]) => {
      const patterns = same.map(({ name }) => quoted(name)).join(" | ");
      return `  ${patterns})\n    ${action}\n    return\n    ;;`;
    })
    .join("\n");
}

/** The pattern of all commands below the program. */
export function commandPattern(program: string, specs: readonly CommandSpec[]): string {
  return specs
    .filter(({ path }) => path !== program)
    .map(({ path }) => quoted(path))
    .join(" | ");
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
