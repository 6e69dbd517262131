/** The option that chooses the table of --csv. */
import type { Option } from "commander";
import { invalid } from "../../platform/failure.ts";
import { optional } from "./optional.ts";

/** `tables`: the names; the first is the default. */
export function tableOption(tables: readonly string[]): Option {
  const [first = ""] = tables;
  return optional("--table <name>", `with --csv: the table to print: ${tables.join(", ")}`, first).choices(
    tables,
  );
}

/** Throws INVALID_REQUEST if a table is chosen without --csv. */
export function checkTable({ csv, table }: { readonly csv?: unknown; readonly table?: string }): void {
  if (table !== undefined && (csv === undefined || csv === false))
    throw invalid(`--table ${table} chooses the table of --csv. Give --csv too.`);
}
