/** Takes the address of what is shown. */
import { useState } from "react";

export function CopyLink() {
  const [told, setTold] = useState<string>();
  const copy = async () => {
    // A page that was not loaded over TLS has no clipboard.
    const isCopied = await navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    setTold(isCopied ? "Copied" : "Copy it from the address bar");
  };
  return (
    <button type="button" onClick={() => void copy()} onBlur={() => setTold(undefined)}>
      <span aria-live="polite">{told ?? "Copy link"}</span>
    </button>
  );
}
