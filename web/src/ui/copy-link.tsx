/** Copies the URL of the current view. */
import { useState } from "react";

export function CopyLink() {
  const [message, setMessage] = useState<string>();
  const copy = async () => {
    // Pages served without TLS have no clipboard API.
    const isCopied = await navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    setMessage(isCopied ? "Copied" : "Copy the URL from the address bar");
  };
  return (
    <button type="button" onClick={() => void copy()} onBlur={() => setMessage(undefined)}>
      <span aria-live="polite">{message ?? "Copy link"}</span>
    </button>
  );
}
