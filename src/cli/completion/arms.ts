/** `case` arms that the bash and zsh scripts share, with sh quoting. */
import type { CommandSpec, Values } from "./spec.ts";

/**
 * Returns arms that match command path and flag. Options with the same values share an arm, which ends the function.
 */
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

/** Returns the pattern of all commands below the program. */
export function commandPattern(program: string, specs: readonly CommandSpec[]): string {
  return specs
    .filter(({ path }) => path !== program)
    .map(({ path }) => quoted(path))
    .join(" | ");
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
