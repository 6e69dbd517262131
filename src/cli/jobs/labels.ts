/** Parses labels: the option --label KEY=VALUE, and label changes. */
import { InvalidArgumentError, type Option } from "commander";
import { LABEL_KEY, MAX_LABEL_VALUE, MAX_LABELS } from "../../jobs/request-limits.ts";
import { optional } from "../flags/optional.ts";

export type Labels = Readonly<Record<string, string>>;

const KEY_RULE = 'a key has up to 63 letters, digits, ".", "_", "-" and "/"';

export function labelOption(help: string): Option {
  return optional("--label <key=value>", `${help}; repeatable`, "none").argParser(collectLabel);
}

/** Parses KEY=VALUE, for an option. Throws InvalidArgumentError. */
export function collectLabel(text: string, before: Labels = {}): Labels {
  const label = labelOf(text);
  if (label === undefined) throw new InvalidArgumentError(`Write KEY=VALUE; ${KEY_RULE}.`);
  const [key, value] = label;
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`${key} is given twice.`);
  if (Object.keys(before).length === MAX_LABELS) {
    throw new InvalidArgumentError(`A job has at most ${MAX_LABELS} labels.`);
  }
  return { ...before, [key]: value };
}

/** Parses a label; undefined if it isn't one. Throws InvalidArgumentError for a value that is too long. */
function labelOf(text: string): readonly [key: string, value: string] | undefined {
  const at = text.indexOf("=");
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 0 || !LABEL_KEY.test(key)) return undefined;
  if (Array.from(value).length > MAX_LABEL_VALUE) {
    throw new InvalidArgumentError(`A value has at most ${MAX_LABEL_VALUE} characters.`);
  }
  return [key, value];
}

/** Labels to set, and keys of labels to remove. */
export interface LabelChange {
  readonly set: Labels;
  readonly remove: readonly string[];
}

/** Parses KEY=VALUE, or KEY- to remove a label. Throws InvalidArgumentError. */
export function collectLabelChange(
  text: string,
  { set, remove }: LabelChange = { set: {}, remove: [] },
): LabelChange {
  const label = labelOf(text);
  const key = label?.[0] ?? text.slice(0, -1);
  if (label === undefined && !(text.endsWith("-") && LABEL_KEY.test(key))) {
    throw new InvalidArgumentError(`Write KEY=VALUE, or KEY- to remove it; ${KEY_RULE}.`);
  }
  if (Object.hasOwn(set, key) || remove.includes(key)) {
    throw new InvalidArgumentError(`${key} is given twice.`);
  }
  return label === undefined
    ? { set, remove: [...remove, key] }
    : { set: { ...set, [key]: label[1] }, remove };
}
