/** Makes the methods of a topic from its functions, which take the database first. */
import type { Database } from "./database.ts";

type OnDatabase = (database: Database, ...rest: never[]) => unknown;
type Method<F> = F extends (database: Database, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** Returns the functions bound to a database. */
export function bound<Functions extends Readonly<Record<string, OnDatabase>>>(
  database: Database,
  functions: Functions,
): { readonly [Name in keyof Functions]: Method<Functions[Name]> } {
  const methods = Object.entries(functions).map(([name, run]) => [name, run.bind(undefined, database)]);
  return Object.fromEntries(methods);
}
