/**
 * Settings of a process: each is a flag, an SVC_… variable and a key of the
 * configuration file at once. A flag beats the variable, the variable beats the
 * file, the file beats the default. All three are text, read by the same parser,
 * so a value means the same wherever it stands; but a variable that is empty
 * counts as one that is not set.
 */
import { readFile } from "node:fs/promises";
import { delimiter } from "node:path";
import { type Command, Option } from "commander";
import { withFacts } from "./help.ts";
import { messageOf } from "./thrown.ts";

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
  /** Whether the configuration file may not hold it. */
  readonly notInFile?: boolean;
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

const CONFIG_FILE = text({
  flags: "--config <file>",
  help: "YAML file of these settings, each by its name without the dashes",
});

/** Adds the settings' flags, and --config, to a command. */
export function addSettings(command: Command, settings: Settings): Command {
  for (const setting of [...Object.values(settings), CONFIG_FILE]) command.addOption(optionOf(setting));
  return command;
}

function optionOf(setting: Setting<unknown>): Option {
  const about = withFacts(setting.help, setting.shownDefault, variableOf(setting));
  const option = new Option(setting.flags, about);
  if (setting.join === undefined) return option;
  return option.argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

/** The value of every setting, from the flags that `command` was given, the environment and the file. */
export async function readSettings<S extends Settings>(
  command: Command,
  settings: S,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<SettingValues<S>> {
  const sources = { flags: command.opts<Record<string, unknown>>(), environment };
  const path = read(CONFIG_FILE, sources);
  const file = path === undefined ? undefined : { path, values: await readFileSettings(path, settings) };
  const entries = Object.entries(settings).map(([key, setting]) => [
    key,
    read(setting, { ...sources, file }),
  ]);
  return Object.fromEntries(entries);
}

interface Sources {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly file?: { readonly path: string; readonly values: ReadonlyMap<string, unknown> } | undefined;
}

function read<T>(setting: Setting<T>, { flags, environment, file }: Sources): T {
  const name = nameOf(setting);
  const flag = flags[attributeOf(setting)];
  if (flag !== undefined) return parse(setting, flag, `--${name}`);
  const variable = environment[variableOf(setting)];
  if (variable !== undefined && variable !== "") {
    const given = setting.join ? variable.split(setting.separator ?? delimiter) : variable;
    return parse(setting, given, variableOf(setting));
  }
  const filed = file?.values.get(name);
  if (filed !== undefined) return parse(setting, filed, `${name} in ${file?.path}`);
  return setting.fallback;
}

function parse<T>(setting: Setting<T>, given: unknown, where: string): T {
  try {
    if (Array.isArray(given) && setting.join)
      return setting.join(given.map((one) => setting.parse(asText(one))));
    return setting.parse(asText(given));
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError(`${where}: ${JSON.stringify(given)} ${why}.`, { cause: error });
  }
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new Error("is not a single value");
}

async function readFileSettings(path: string, settings: Settings): Promise<ReadonlyMap<string, unknown>> {
  const { parse: parseYaml } = await import("yaml");
  let document: unknown;
  try {
    document = parseYaml(await readFile(path, "utf8"), { maxAliasCount: 0 });
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError(`--config: ${path} cannot be read: ${why}`, { cause: error });
  }
  if (document === null || document === undefined) return new Map();
  if (typeof document !== "object" || Array.isArray(document)) {
    throw new UsageError(`--config: ${path} does not hold "name: value" lines.`);
  }
  const entries = Object.entries(document);
  const known = Object.values(settings)
    .filter(({ notInFile }) => !notInFile)
    .map(nameOf);
  const unknown = entries.find(([key]) => !known.includes(key));
  if (unknown)
    throw new UsageError(`${unknown[0]} in ${path} is not a setting. There are: ${known.join(", ")}.`);
  return new Map(entries);
}

function nameOf(setting: Setting<unknown>): string {
  return new Option(setting.flags).name();
}

function attributeOf(setting: Setting<unknown>): string {
  return new Option(setting.flags).attributeName();
}

/** Its variable: "SVC_TOKEN_FILE" of "--token-file <file>". */
export function variableOf(setting: Setting<unknown>): string {
  return `SVC_${nameOf(setting).toUpperCase().replaceAll("-", "_")}`;
}
