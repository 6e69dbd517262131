/** Selects the two jobs whose difference is drawn. */
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useSetParam } from "../ui/url-param.tsx";
import { differenceOf } from "./compare-query.ts";
import type { Compared } from "./compared.ts";

export function DifferenceChoice({ compared }: { readonly compared: readonly Compared[] }) {
  const [params] = useSearchParams();
  const setParam = useSetParam();
  const [one = "", other = ""] = differenceOf(params) ?? [];
  const [minuend, setMinuend] = useState(other);
  const [subtrahend, setSubtrahend] = useState(one);
  if (compared.length < 2) return null;
  const change = (first: string, second: string) => {
    setSubtrahend(first);
    setMinuend(second);
    const isChosen = first !== "" && second !== "" && first !== second;
    setParam("diff", isChosen ? `${first},${second}` : undefined);
  };
  return (
    <div className="difference">
      <span>Difference:</span>
      <JobChoice
        label="Compared encode"
        {...{ compared }}
        id={minuend}
        change={(id) => change(subtrahend, id)}
      />
      <span>minus</span>
      <JobChoice
        label="Baseline encode"
        {...{ compared }}
        id={subtrahend}
        change={(id) => change(id, minuend)}
      />
      {minuend !== "" && minuend === subtrahend && <span className="quiet">Select two different jobs.</span>}
    </div>
  );
}

interface JobChoiceProps {
  readonly label: string;
  readonly compared: readonly Compared[];
  readonly id: string;
  readonly change: (id: string) => void;
}

function JobChoice({ label, compared, id, change }: JobChoiceProps) {
  return (
    <select aria-label={label} value={id} onChange={({ target }) => change(target.value)}>
      <option value="">none</option>
      {compared.map((each) => (
        <option key={each.id} value={each.id}>
          {each.number}: {each.title}
        </option>
      ))}
    </select>
  );
}
