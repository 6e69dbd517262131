/** Options without a default value. */
import { Option } from "commander";

/** `otherwise`: the default that the help shows. */
export function optional(flags: string, help: string, otherwise: string): Option {
  return new Option(flags, help).default(undefined, otherwise);
}

/** Adds the words that completion offers. The option's parser decides what is valid. */
export function offering(option: Option, words: readonly string[]): Option {
  option.argChoices = [...words];
  return option;
}
