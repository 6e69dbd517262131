/** Light or dark: as the system has it, until somebody chooses. */
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

/** Before anything is drawn, so that nothing flashes. */
export function applyTheme(theme: Theme | undefined = chosen()): void {
  if (theme === undefined) delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Told to what draws by itself, such as charts. */
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
