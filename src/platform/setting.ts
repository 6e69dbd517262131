/** What a setting is: a name, and the value that a text stands for. */
import { Option } from "commander";
import type { HelpGroup } from "./help-page.ts";

/** A flag, variable or configuration file that cannot be used; the process ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Which of the flags have a value and which have none, in their order. */
export function flagsOf(values: Readonly<Record<string, unknown>>): {
  readonly given: readonly string[];
  readonly missing: readonly string[];
} {
  const flags = Object.keys(values);
  const isGiven = (flag: string) => values[flag] !== undefined;
  return { given: flags.filter(isGiven), missing: flags.filter((flag) => !isGiven(flag)) };
}

export interface Setting<T> {
  /** Commander's notation, for example "--port <port>"; its long name is the key everywhere. */
  readonly flags: string;
  /** What it does, with its unit. */
  readonly help: string;
  /** The default in words, shown in the help. */
  readonly shownDefault: string;
  readonly fallback: T;
  /** The values that it takes, for shells to complete; undefined: others too. */
  readonly words?: readonly string[];
  /** Whether the configuration file may not hold it. */
  readonly notInFile?: boolean;
  /** Where it stands in the help; undefined: among the command's own options. */
  readonly group?: HelpGroup;
  /** The value that a text stands for. Throws an Error whose message completes "VALUE …". */
  parse(text: string): T;
  /**
   * Joins the values of a flag that may be repeated; undefined: it may not. Its variable
   * separates the values by ":" as PATH does, the file lists them.
   */
  join?(values: readonly T[]): T;
  /** What separates the values in that variable, where ":" alone would not do. */
  readonly separator?: RegExp;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type SettingValues<S extends Settings> = {
  readonly [Key in keyof S]: S[Key] extends Setting<infer T> ? T : never;
};

/** The settings, in a group of the help. S is not bound to Settings, which would widen the words of a choice. */
export function inGroup<S extends object>(group: HelpGroup, settings: S): S {
  const entries = Object.entries(settings).map(([key, setting]) => [key, { ...setting, group }]);
  return Object.fromEntries(entries) as S;
}

type Described = Pick<Setting<unknown>, "flags" | "help"> & { shownDefault?: string };

/** A whole number from `min` to `max`. */
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

/** A whole number from `min` to `max`, or "none": Infinity. */
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
  if (value === "" || value.includes("\0")) throw new Error("is empty or holds a NUL character");
  return value;
}

/** A text; undefined when it is not set. */
export function text(about: Described): Setting<string | undefined> {
  return { ...about, shownDefault: about.shownDefault ?? "none", fallback: undefined, parse: parseText };
}

/** A text with a default. */
export function textOr(about: Described & { fallback: string }): Setting<string> {
  return { ...about, shownDefault: about.fallback, parse: parseText };
}

/** One of a few words. */
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

/** Texts: a flag that may be repeated. */
export function list(about: Described): Setting<readonly string[]> {
  return {
    ...about,
    shownDefault: about.shownDefault ?? "none",
    fallback: [],
    parse: (value) => [parseText(value)],
    join: (values) => values.flat(),
  };
}

/** A switch, off by default: the flag takes no value, the variable and the file true or false. */
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
 * A switch that takes a safeguard away: only the flag, or its variable with exactly "true", throws it.
 * No configuration file does, where it could stay unseen.
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

/** Its key in the configuration file: "token-file" of "--token-file <file>". */
export function nameOf(setting: Setting<unknown>): string {
  return new Option(setting.flags).name();
}

/** Its key among the flags that commander has read: "tokenFile". */
export function attributeOf(setting: Setting<unknown>): string {
  return new Option(setting.flags).attributeName();
}

/** Its flag: "--token-file" of "--token-file <file>". */
export function flagOf(setting: Setting<unknown>): string {
  return `--${nameOf(setting)}`;
}

/** Its variable: "SVC_TOKEN_FILE" of "--token-file <file>". */
export function variableOf(setting: Setting<unknown>): string {
  return `SVC_${nameOf(setting).toUpperCase().replaceAll("-", "_")}`;
}
