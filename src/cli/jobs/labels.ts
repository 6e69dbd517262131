/** The option --label KEY=VALUE. */
import { InvalidArgumentError, type Option } from "commander";
import { optional } from "../optional.ts";

export type Labels = Readonly<Record<string, string>>;

const KEY = /^[A-Za-z0-9._/-]{1,63}$/;
const MAX_VALUE_CHARACTERS = 255;
const MAX_LABELS = 32;

export function labelOption(help: string): Option {
  return optional("--label <key=value>", `${help}; repeatable`, "none").argParser(collectLabel);
}

function collectLabel(text: string, before: Labels = {}): Labels {
  const at = text.indexOf("=");
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 0 || !KEY.test(key)) {
    throw new InvalidArgumentError(
      'Write KEY=VALUE; a key has up to 63 letters, digits, ".", "_", "-" and "/".',
    );
  }
  if (Array.from(value).length > MAX_VALUE_CHARACTERS) {
    throw new InvalidArgumentError(`A value has at most ${MAX_VALUE_CHARACTERS} characters.`);
  }
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`${key} is given twice.`);
  if (Object.keys(before).length === MAX_LABELS) {
    throw new InvalidArgumentError(`A job has at most ${MAX_LABELS} labels.`);
  }
  return { ...before, [key]: value };
}
