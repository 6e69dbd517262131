/** Options that have no value where they are not given. */
import { Option } from "commander";

/** `otherwise` says what holds where it is not given, for the help. */
export function optional(flags: string, help: string, otherwise: string): Option {
  return new Option(flags, help).default(undefined, otherwise);
}
