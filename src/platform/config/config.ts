/**
 * Settings of a process. Each setting is a flag, an SVC_… variable and a key of the configuration file. A flag takes
 * precedence over the variable, the variable over the file, and the file over the default. All three are text and go
 * through the same parser, so a value means the same everywhere. An empty variable counts as unset.
 */
import { readFile } from "node:fs/promises";
import { delimiter } from "node:path";
import { type Command, Option } from "commander";
import { messageOf } from "../errors.ts";
import { isObject } from "../json.ts";
import { HELP_GROUPS, withFacts } from "./help-page.ts";
import {
  attributeOf,
  flagOf,
  nameOf,
  type Setting,
  type Settings,
  type SettingValues,
  text,
  UsageError,
  variableOf,
} from "./setting.ts";

const CONFIG_FILE = text({
  flags: "--config <file>",
  help: "YAML file with settings; its keys are the names of the options without dashes",
});

/** Adds the settings' flags, and --config, to a command. */
export function addSettings(command: Command, settings: Settings): Command {
  for (const setting of [...Object.values(settings), CONFIG_FILE]) command.addOption(optionOf(setting));
  return command;
}

function optionOf(setting: Setting<unknown>): Option {
  const about = withFacts(setting.help, setting.shownDefault, variableOf(setting));
  const option = new Option(setting.flags, about).helpGroup(setting.group ?? HELP_GROUPS.own);
  // The parser validates values; these words are only for shell completion.
  if (setting.words !== undefined) option.argChoices = [...setting.words];
  if (setting.join === undefined) return option;
  return option.argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

/** Returns the value of every setting from the flags of `command`, the environment and the file. */
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
  if (flag !== undefined) return parse(setting, flag, flagOf(setting));
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
  if (!isObject(document)) {
    throw new UsageError(`--config: ${path} does not contain "name: value" lines.`);
  }
  const entries = Object.entries(document);
  const known = Object.values(settings)
    .filter(({ notInFile }) => !notInFile)
    .map(nameOf);
  const unknown = entries.find(([key]) => !known.includes(key));
  if (unknown)
    throw new UsageError(`${unknown[0]} in ${path} is not a setting. The settings are: ${known.join(", ")}.`);
  return new Map(entries);
}
