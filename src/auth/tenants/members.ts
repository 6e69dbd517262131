/** Reads the members of objects in a registry, and records every fault. */
import { isModelList, MODEL_LIST_RULE } from "../../jobs/default-models.ts";
import { FINDING_ACTIONS, type FindingAction } from "../../jobs/findings-policy.ts";
import type { LimitRule } from "../../jobs/limits.ts";
import { isObject } from "../../platform/json.ts";
import { ROLES, type Role } from "../principal.ts";
import { MAX_NAME_CHARS } from "../tokens/claims.ts";

const URL_MOST = 2048;

/** A fault of an entry. */
export interface EntryFault {
  /** Path of the member, such as "oidc.issuer"; empty for the entry itself. */
  readonly member: string;
  /** What is wrong and what to do; completes a sentence that begins with the member. */
  readonly text: string;
}

/** Quotes a string from the operator's file for a message: shortened, and without control characters. */
export function shown(text: string): string {
  const short = text.length > 64 ? `${text.slice(0, 63)}…` : text;
  return JSON.stringify(short.toWellFormed()).replace(
    /\p{C}/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );
}

/**
 * The members of one object. For an invalid member, a fault is recorded and a placeholder is returned, which
 * is never used because the entry is refused.
 */
export class Members {
  readonly #own: ReadonlyMap<string, unknown>;
  readonly #path: string;
  readonly #faults: EntryFault[];

  private constructor(own: ReadonlyMap<string, unknown>, path: string, faults: EntryFault[]) {
    this.#own = own;
    this.#path = path;
    this.#faults = faults;
  }

  /** Returns undefined and records a fault if the value is not an object. Records a fault for each unknown member. */
  static of(
    value: unknown,
    path: string,
    known: readonly string[],
    faults: EntryFault[],
  ): Members | undefined {
    if (!isObject(value)) {
      faults.push({ member: path, text: `is not an object. Its members can be: ${known.join(", ")}.` });
      return undefined;
    }
    const members = new Members(new Map(Object.entries(value)), path === "" ? "" : `${path}.`, faults);
    for (const name of members.#own.keys())
      if (!known.includes(name))
        faults.push({
          member: path,
          text: `has an unknown member ${shown(name)}. Its members can be: ${known.join(", ")}.`,
        });
    return members;
  }

  has(name: string): boolean {
    return this.#own.get(name) !== undefined;
  }

  refuse(name: string, text: string): void {
    this.#faults.push({ member: `${this.#path}${name}`, text });
  }

  section(name: string, known: readonly string[]): Members | undefined {
    if (this.has(name)) return Members.of(this.#own.get(name), `${this.#path}${name}`, known, this.#faults);
    this.refuse(name, `is missing. Its members can be: ${known.join(", ")}.`);
    return undefined;
  }

  /** The members of each object of a list of 1 to `most`; undefined for those that are not objects. */
  sections(name: string, known: readonly string[], most: number): readonly (Members | undefined)[] {
    const list = this.#list(name, most, "objects");
    const pathOf = (index: number) => `${this.#path}${name}[${index}]`;
    return list.map((value, index) => Members.of(value, pathOf(index), known, this.#faults));
  }

  /** A list of 1 to `most` distinct texts. `faultOf` returns what is wrong with one, to complete a sentence. */
  texts(name: string, most: number, faultOf: (text: string) => string | undefined): readonly string[] {
    const list = this.#list(name, most, "texts");
    for (const [index, value] of list.entries()) {
      const fault = typeof value === "string" ? faultOf(value) : "is not a string";
      if (fault !== undefined) this.refuse(`${name}[${index}]`, fault);
      else if (list.indexOf(value) < index) this.refuse(`${name}[${index}]`, "is listed twice.");
    }
    return list.map(String);
  }

  #list(name: string, most: number, what: string): readonly unknown[] {
    const value = this.#own.get(name);
    if (Array.isArray(value) && value.length > 0 && value.length <= most) return value;
    this.refuse(name, `is not a list of 1 to ${most} ${what}.`);
    return [];
  }

  /** A string that matches a rule. `rule` completes a sentence that begins with the member. */
  text(name: string, pattern: RegExp, rule: string): string {
    const value = this.#own.get(name);
    if (typeof value === "string" && pattern.test(value)) return value;
    this.refuse(name, rule);
    return "";
  }

  flag(name: string): boolean {
    const value = this.#own.get(name);
    if (typeof value === "boolean") return value;
    this.refuse(name, "is neither true nor false. Write one of them without quotes.");
    return false;
  }

  /** A string that can be compared with claims of tokens. `advice` has no full stop. */
  name(name: string, advice: string): string {
    const value = this.#own.get(name);
    const fault = this.has(name) ? faultOfName(value) : "is missing";
    if (fault === undefined) return String(value);
    this.refuse(name, `${fault}. ${advice}.`);
    return "";
  }

  url(name: string, advice: string): string {
    const value = this.#own.get(name);
    const fault = this.has(name) ? faultOfUrl(value) : "is missing";
    if (fault === undefined) return String(value);
    this.refuse(name, `${fault}. ${advice}.`);
    return "";
  }

  limit(name: string, { min, max, canBeNone }: LimitRule): number {
    const value = this.#own.get(name);
    if (canBeNone && value === "none") return Number.POSITIVE_INFINITY;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    const none = canBeNone ? ", nor none" : "";
    this.refuse(name, `is not a whole number from ${min} to ${max}${none}. Leave it out for the default.`);
    return min;
  }

  /** Returns undefined and records a fault if the value is not a list of models. */
  models(name: string): readonly string[] | undefined {
    const value = this.#own.get(name);
    if (Array.isArray(value) && isModelList(value)) return value;
    this.refuse(name, `is not a list of ${MODEL_LIST_RULE}. Leave it out for the default.`);
    return undefined;
  }

  /** Returns undefined and records a fault if the value is not an action. */
  action(name: string): FindingAction | undefined {
    const action = FINDING_ACTIONS.find((known) => known === this.#own.get(name));
    if (action === undefined)
      this.refuse(name, `is not an action. The actions are: ${FINDING_ACTIONS.join(", ")}.`);
    return action;
  }

  role(name: string): Role | undefined {
    const role = roleOf(this.#own.get(name));
    if (role === undefined) this.refuse(name, `is not a role. The roles are: ${ROLES.join(", ")}.`);
    return role;
  }

  /** Returns undefined and records a fault if the value is not a list of distinct roles. */
  roles(name: string): readonly Role[] | undefined {
    const value = this.#own.get(name);
    const given: readonly unknown[] = Array.isArray(value) ? value : [];
    const roles = given.map(roleOf).filter((role) => role !== undefined);
    if (given.length > 0 && given.length === new Set(roles).size) return roles;
    const advice = `List each of these once, or leave it out to allow all: ${ROLES.join(", ")}.`;
    this.refuse(name, `is not a list of one or more distinct roles. ${advice}`);
    return undefined;
  }
}

function roleOf(value: unknown): Role | undefined {
  return ROLES.find((role) => role === value);
}

function faultOfName(value: unknown): string | undefined {
  if (typeof value !== "string") return "is not a string (a number needs quotes)";
  if (value === "") return "is empty";
  if (value.length > MAX_NAME_CHARS) return `has more than ${MAX_NAME_CHARS} characters`;
  if (!value.isWellFormed()) return "is not well-formed Unicode";
  return /\p{Cc}/u.test(value) ? "contains control characters" : undefined;
}

/** Checks the text itself, because a URL parser repairs what it reads. */
function faultOfUrl(value: unknown): string | undefined {
  if (typeof value !== "string") return "is not a string";
  if (value.length > URL_MOST) return `has more than ${URL_MOST} characters`;
  if (!/^https?:\/\/[^/]/i.test(value) || /[\s\\\p{C}]/u.test(value) || !URL.canParse(value))
    return "is not an absolute http or https URL";
  if (value.includes("#")) return "has a fragment (#…)";
  return /^[^/]*\/\/[^/?]*@/.test(value) ? "contains credentials (…@)" : undefined;
}
