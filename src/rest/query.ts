/** The query of a request, read strictly: what could be taken for something else is refused. */
import { invalid } from "../platform/failure.ts";
import type { Parameter } from "./routes.ts";

/** What a parameter is: a text, a whole number, true or false, or the texts of one that may be repeated. */
type QueryValue = string | number | boolean | readonly string[];

/** By parameter; absent ones are not there. */
export type Query = Readonly<Record<string, QueryValue>>;

/**
 * The values of the described parameters; their ranges are not checked here. With `strict`, a parameter
 * that is not described is refused. Throws INVALID_REQUEST.
 */
export function queryOf(url: string, parameters: readonly Parameter[], strict: boolean): Query {
  const start = url.indexOf("?");
  if (start < 0) return {};
  const given = new URLSearchParams(url.slice(start + 1));
  if (strict) checkNames([...given.keys()], parameters);
  const entries = parameters.flatMap((parameter) => {
    const values = given.getAll(parameter.name);
    return values.length === 0 ? [] : [[parameter.name, readValue(parameter, values)] as const];
  });
  return Object.fromEntries(entries);
}

function checkNames(given: readonly string[], parameters: readonly Parameter[]): void {
  const known = parameters.map(({ name }) => name);
  const odd = given.find((name) => !known.includes(name));
  if (odd === undefined) return;
  const there = known.length > 0 ? `There are: ${known.join(", ")}.` : "It has none.";
  throw invalid(`${JSON.stringify(odd.slice(0, 80))} is not a parameter of this request. ${there}`);
}

function readValue({ name, schema }: Parameter, values: readonly string[]): QueryValue {
  if (schema?.type === "array") return values;
  const [value = "", second] = values;
  if (second !== undefined) throw invalid(`The parameter ${name} is given more than once.`);
  const is = `The parameter ${name} is ${JSON.stringify(value.slice(0, 80))}`;
  if (schema?.type === "boolean") {
    if (value === "true" || value === "false") return value === "true";
    throw invalid(`${is}, not true or false.`);
  }
  if (schema?.type !== "integer") return value;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw invalid(`${is}, not a whole number.`);
}
