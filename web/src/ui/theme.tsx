/** Light or dark theme: the system's until the user selects one. */
import { useState } from "react";

type Theme = "light" | "dark";
const KEY = "svc.theme";

function chosen(): Theme | undefined {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : undefined;
}

function systems(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Called before the first paint, to avoid a flash. */
export function applyTheme(theme: Theme | undefined = chosen()): void {
  if (theme === undefined) delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Dispatched to components that draw themselves, such as charts. */
export const THEME_EVENT = "svc-theme";

export function ThemeButton() {
  const [theme, setTheme] = useState(chosen() ?? systems());
  const other = theme === "dark" ? "light" : "dark";
  const change = () => {
    localStorage.setItem(KEY, other);
    applyTheme(other);
    setTheme(other);
    dispatchEvent(new Event(THEME_EVENT));
  };
  return (
    <button type="button" className="plain" onClick={change} aria-label={`Use the ${other} theme`}>
      <span aria-hidden="true">{theme === "dark" ? "☀" : "☾"}</span>
    </button>
  );
}
