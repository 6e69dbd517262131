/**
 * Parses untrusted JSON into values of an exact form. Each decoder accepts one kind of value in one range and rejects
 * everything else, including unknown fields.
 */
import { Failure } from "./failure.ts";
import { isObject } from "./json.ts";

/** `path` names the value in the failure, for example `.tracks.reference.width`. */
export type Decoder<T> = (value: unknown, path: string) => T;

/** Parses a text of at most `mostChars` characters. `what` names the text in the failure. Throws INVALID_REQUEST. */
export function readJson<T>(what: string, text: string, mostChars: number, decoder: Decoder<T>): T {
  try {
    if (text.length > mostChars) throw refuse(`has more than ${mostChars} characters`, "");
    return decoder(parse(text), "");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Failure("INVALID_REQUEST", `The ${what} cannot be read: ${error.message}.`);
  }
}

class Refusal extends Error {}

function refuse(what: string, path: string): Refusal {
  return new Refusal(`${path === "" ? "it" : path.slice(1)} ${what}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse("is not JSON", "");
  }
}

export function wholeNumber(min: number, max: number): Decoder<number> {
  return (value, path) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    throw refuse(`is not a whole number from ${min} to ${max}`, path);
  };
}

export function numberIn(min: number, max: number): Decoder<number> {
  return (value, path) => {
    if (typeof value === "number" && value >= min && value <= max) return value;
    throw refuse(`is not a number from ${min} to ${max}`, path);
  };
}

export function textLike(pattern: RegExp): Decoder<string> {
  return (value, path) => {
    if (typeof value === "string" && value.isWellFormed() && pattern.test(value)) return value;
    throw refuse("is not a text of the required form", path);
  };
}

/** Limit of values that a failure lists. */
const MAX_NAMED = 12;

export function oneOf<const T extends string | number>(...values: readonly T[]): Decoder<T> {
  return (value, path) => {
    const known = values.find((one) => one === value);
    if (known !== undefined) return known;
    const named = values.map((one) => JSON.stringify(one)).join(", ");
    throw refuse(values.length > MAX_NAMED ? "is not a known value" : `is not one of ${named}`, path);
  };
}

export const flag: Decoder<boolean> = (value, path) => {
  if (typeof value === "boolean") return value;
  throw refuse("is not true or false", path);
};

/** A field that may be omitted. */
export function optional<T>(decoder: Decoder<T>): Decoder<T | undefined> {
  return (value, path) => (value === undefined ? undefined : decoder(value, path));
}

export function listOf<T>(decoder: Decoder<T>, most: number): Decoder<readonly T[]> {
  return (value, path) => {
    if (Array.isArray(value) && value.length <= most)
      return value.map((item, index) => decoder(item, `${path}[${index}]`));
    throw refuse(`is not a list of at most ${most} items`, path);
  };
}

type Fields = Readonly<Record<string, Decoder<unknown>>>;
type RecordOf<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

export function record<F extends Fields>(fields: F): Decoder<RecordOf<F>> {
  return (value, path) => {
    if (!isObject(value)) throw refuse("is not an object", path);
    const given = new Map<string, unknown>(Object.entries(value));
    if ([...given.keys()].some((name) => !Object.hasOwn(fields, name)))
      throw refuse("has an unknown field", path);
    const read = Object.entries(fields).map(([name, decoder]) => [
      name,
      decoder(given.get(name), `${path}.${name}`),
    ]);
    return Object.fromEntries(read) as RecordOf<F>;
  };
}
