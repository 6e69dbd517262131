/** Parses the query of a request strictly and rejects ambiguous input. */
import { invalid } from "../../platform/failure.ts";
import type { Parameter } from "./operation.ts";

/** The value of a parameter: a string, a number, a boolean, or a list of strings if it can be repeated. */
type QueryValue = string | number | boolean | readonly string[];

/** As in JSON. */
const NUMBER = /^-?(0|[1-9]\d{0,30})(\.\d{1,40})?([eE][+-]?\d{1,4})?$/;

/** By parameter; missing ones are absent. */
export type Query = Readonly<Record<string, QueryValue>>;

/**
 * Returns the values of the described parameters, without checking their ranges. `strict` rejects parameters that are
 * not described. Throws INVALID_REQUEST.
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
  const hint = known.length > 0 ? `Its parameters are: ${known.join(", ")}.` : "It has none.";
  throw invalid(`${JSON.stringify(odd.slice(0, 80))} is not a parameter of this request. ${hint}`);
}

function readValue({ name, schema }: Parameter, values: readonly string[]): QueryValue {
  if (schema.type === "array") return values;
  const [value = "", second] = values;
  if (second !== undefined) throw invalid(`The parameter ${name} is given more than once.`);
  const is = `The parameter ${name} is ${JSON.stringify(value.slice(0, 80))}`;
  if (schema.type === "boolean") {
    if (value === "true" || value === "false") return value === "true";
    throw invalid(`${is}, not true or false.`);
  }
  if (schema.type === "number") {
    if (NUMBER.test(value)) return Number(value);
    throw invalid(`${is}, not a number.`);
  }
  if (schema.type !== "integer") return value;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw invalid(`${is}, not a whole number.`);
}
