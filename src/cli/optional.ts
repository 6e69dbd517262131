/** Options that have no value where they are not given. */
import { Option } from "commander";

/** `otherwise` says what holds where it is not given, for the help. */
export function optional(flags: string, help: string, otherwise: string): Option {
  return new Option(flags, help).default(undefined, otherwise);
}

/** The option with words that completion offers. What is taken is up to its parser. */
export function offering(option: Option, words: readonly string[]): Option {
  option.argChoices = [...words];
  return option;
}
