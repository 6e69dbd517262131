/** Parameters of the URL that say how a page is shown. */
import { useSearchParams } from "react-router";

/** Returns a function that sets a parameter, or removes it, without an entry in the history. */
export function useSetParam(): (name: string, value: string | undefined) => void {
  const [, setParams] = useSearchParams();
  return (name, value) =>
    setParams(
      (params) => {
        const changed = new URLSearchParams(params);
        if (value === undefined) changed.delete(name);
        else changed.set(name, value);
        return changed;
      },
      { replace: true },
    );
}

interface ParamSelectProps {
  /** The parameter of the URL. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** The default, which is not written to the URL. */
  readonly usual?: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

export function ParamSelect({ name, label, value, usual, options }: ParamSelectProps) {
  const setParam = useSetParam();
  return (
    <label>
      {label}{" "}
      <select
        value={value}
        onChange={({ target }) => setParam(name, target.value === usual ? undefined : target.value)}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
