/** The bit rate of an encode; an input if its file states no frame rate. */
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";
import { bitRateText } from "../../../../src/jobs/quantities.ts";
import { withRate } from "../compare-query.ts";
import type { Compared } from "../compared.ts";
import { BASIS_NAMES } from "./rate-basis.ts";

export function RateCell({ of }: { readonly of: Compared }) {
  if (!of.isTyped) return <KnownRate {...of} />;
  if (of.job.result === undefined) return "–";
  return <TypedRate key={of.rate} {...of} />;
}

/** Adds the file's rate below the video's if their texts differ. */
function KnownRate({ basis, rate, fileRate }: Compared) {
  if (rate === undefined) return "–";
  const [text, overall] = [rate, fileRate ?? rate].map(bitRateText);
  return (
    <>
      {text}
      {basis === "video" && overall !== text && <span className="quiet overall">{overall} overall</span>}
    </>
  );
}

function TypedRate({ id, title, rate, basis }: Compared) {
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
        aria-label={`${BASIS_NAMES[basis]} of ${title} in kbit/s`}
        placeholder="not specified"
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
