/** The bit rate of a job, which somebody types where the job does not tell it. */
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";
import { rateText } from "../ui/quantities.ts";
import { withRate } from "./compare-query.ts";
import type { Compared } from "./compared.ts";

export function RateCell({ of: { id, title, rate, isTyped, job } }: { readonly of: Compared }) {
  if (!isTyped) return rate === undefined ? "–" : rateText(rate);
  if (job.result === undefined) return "–";
  return <TypedRate key={rate} id={id} title={title} rate={rate} />;
}

interface TypedRateProps {
  readonly id: string;
  readonly title: string;
  /** Bits per second; undefined: none was typed yet. */
  readonly rate: number | undefined;
}

function TypedRate({ id, title, rate }: TypedRateProps) {
  const [, setParams] = useSearchParams();
  const before = rate === undefined ? "" : String(rate / 1000);
  const [text, setText] = useState(before);
  const keep = () => {
    if (text !== before) setParams((params) => withRate(params, id, text), { replace: true });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keep();
  };
  return (
    <form className="typed-rate" onSubmit={submit}>
      <input
        aria-label={`Bit rate of ${title} in kbit/s`}
        placeholder="not told"
        value={text}
        size={8}
        inputMode="decimal"
        onChange={({ target }) => setText(target.value)}
        onBlur={keep}
      />{" "}
      kbit/s
    </form>
  );
}
