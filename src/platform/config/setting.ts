/** The definition of a setting: its name and how its text is parsed. */
import { Option } from "commander";
import type { HelpGroup } from "./help-page.ts";

/** An invalid flag, variable or configuration file. The process exits with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Splits flags into those with a value and those without, in their order. */
export function flagsOf(values: Readonly<Record<string, unknown>>): {
  readonly given: readonly string[];
  readonly missing: readonly string[];
} {
  const flags = Object.keys(values);
  const isGiven = (flag: string) => values[flag] !== undefined;
  return { given: flags.filter(isGiven), missing: flags.filter((flag) => !isGiven(flag)) };
}

export interface Setting<T> {
  /** In commander's notation, such as "--port <port>". The long name is the key everywhere. */
  readonly flags: string;
  /** What it does, with its unit. */
  readonly help: string;
  /** The default as shown in the help. */
  readonly shownDefault: string;
  readonly fallback: T;
  /** Allowed values, for shell completion; undefined if other values are allowed too. */
  readonly words?: readonly string[];
  /** Whether the configuration file must not contain it. */
  readonly notInFile?: boolean;
  /** Its group in the help; undefined: the command's own options. */
  readonly group?: HelpGroup;
  /** Parses the text of a value. Throws an Error whose message completes "VALUE …". */
  parse(text: string): T;
  /**
   * Joins the values of a repeatable flag; undefined if it is not repeatable. The variable separates values by ":" like
   * PATH; the file has a list.
   */
  join?(values: readonly T[]): T;
  /** Separator of the values in the variable, if ":" is not enough. */
  readonly separator?: RegExp;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type SettingValues<S extends Settings> = {
  readonly [Key in keyof S]: S[Key] extends Setting<infer T> ? T : never;
};

/** Puts settings into a group of the help. S is not bound to Settings, which would widen the words of a choice. */
export function inGroup<S extends object>(group: HelpGroup, settings: S): S {
  const entries = Object.entries(settings).map(([key, setting]) => [key, { ...setting, group }]);
  return Object.fromEntries(entries) as S;
}

type Described = Pick<Setting<unknown>, "flags" | "help"> & { shownDefault?: string };

/** An integer from `min` to `max`. */
export function integer(about: Described & { fallback: number; min: number; max: number }): Setting<number> {
  return {
    ...about,
    shownDefault: about.shownDefault ?? String(about.fallback),
    parse(text) {
      const value = wholeNumber(text, about);
      if (value !== undefined) return value;
      throw new Error(`is not a whole number from ${about.min} to ${about.max}`);
    },
  };
}

/** An integer from `min` to `max`, or "none", which is Infinity. */
export function integerOrNone(
  about: Described & { fallback: number; min: number; max: number },
): Setting<number> {
  return {
    ...about,
    shownDefault: about.shownDefault ?? (Number.isFinite(about.fallback) ? String(about.fallback) : "none"),
    parse(text) {
      const value = text === "none" ? Number.POSITIVE_INFINITY : wholeNumber(text, about);
      if (value !== undefined) return value;
      throw new Error(`is not a whole number from ${about.min} to ${about.max}, nor none`);
    },
  };
}

function wholeNumber(text: string, { min, max }: { min: number; max: number }): number | undefined {
  const value = Number(text);
  return /^\d{1,15}$/.test(text) && value >= min && value <= max ? value : undefined;
}

function parseText(value: string): string {
  if (value === "" || value.includes("\0")) throw new Error("is empty or contains a NUL character");
  return value;
}

/** A string; undefined if it is not set. */
export function text(about: Described): Setting<string | undefined> {
  return { ...about, shownDefault: about.shownDefault ?? "none", fallback: undefined, parse: parseText };
}

/** A string with a default. */
export function textOr(about: Described & { fallback: string }): Setting<string> {
  return { ...about, shownDefault: about.fallback, parse: parseText };
}

/** One of a fixed set of words. */
export function choice<T extends string>(about: Described & { fallback: T; of: readonly T[] }): Setting<T> {
  return {
    ...about,
    words: about.of,
    shownDefault: about.shownDefault ?? about.fallback,
    parse(value) {
      const known = about.of.find((word) => word === value);
      if (known !== undefined) return known;
      throw new Error(`is not one of ${about.of.join(", ")}`);
    },
  };
}

/** A list of strings: a repeatable flag. */
export function list(about: Described): Setting<readonly string[]> {
  return {
    ...about,
    shownDefault: about.shownDefault ?? "none",
    fallback: [],
    parse: (value) => [parseText(value)],
    join: (values) => values.flat(),
  };
}

/** A switch that is off by default. The flag takes no value; the variable and the file take true or false. */
export function toggle(about: Described): Setting<boolean> {
  return {
    ...about,
    shownDefault: "off",
    fallback: false,
    parse(value) {
      if (value === "true" || value === "1") return true;
      if (value === "false" || value === "0") return false;
      throw new Error("is not true or false");
    },
  };
}

/**
 * A switch that disables a safeguard. Only the flag, or its variable with exactly "true", turns it on; a configuration
 * file cannot, because it could go unnoticed there.
 */
export function switchOff(about: Described): Setting<boolean> {
  return {
    ...about,
    shownDefault: "off",
    fallback: false,
    notInFile: true,
    parse(value) {
      if (value === "true" || value === "false") return value === "true";
      throw new Error("is not exactly true or false");
    },
  };
}

/** Key in the configuration file: "token-file" for "--token-file <file>". */
export function nameOf(setting: Setting<unknown>): string {
  return new Option(setting.flags).name();
}

/** Key in commander's parsed options: "tokenFile". */
export function attributeOf(setting: Setting<unknown>): string {
  return new Option(setting.flags).attributeName();
}

/** Flag: "--token-file" for "--token-file <file>". */
export function flagOf(setting: Setting<unknown>): string {
  return `--${nameOf(setting)}`;
}

/** Variable: "SVC_TOKEN_FILE" for "--token-file <file>". */
export function variableOf(setting: Setting<unknown>): string {
  return `SVC_${nameOf(setting).toUpperCase().replaceAll("-", "_")}`;
}
