/** Keyboard shortcuts of every page, and the list of all shortcuts. */
import { useEffect, useEffectEvent, useState } from "react";
import { useNavigate } from "react-router";
import { Dialog } from "./dialog.tsx";

/** Set if "/" and "?" are left to the browser, as users of speech input may prefer. */
const OFF = "svc.keys-off";

/** Navigation state: the jobs page focuses its search box if "/" was pressed on a page without one. */
export interface SearchState {
  readonly search: true;
}

interface KeyRow {
  /** Alternatives or a combination, as written. */
  readonly keys: readonly string[];
  readonly does: string;
}

const GROUPS: readonly { readonly name: string; readonly rows: readonly KeyRow[] }[] = [
  {
    name: "Everywhere",
    rows: [
      { keys: ["/"], does: "Search jobs" },
      { keys: ["?"], does: "Show this list" },
      { keys: ["Esc"], does: "Close a dialog; ask before typed text is discarded" },
    ],
  },
  {
    name: "Submit jobs",
    rows: [
      { keys: ["Ctrl", "Enter"], does: "Submit" },
      { keys: ["↑", "↓"], does: "In the file browser: previous or next file" },
    ],
  },
  {
    name: "Chart, when focused",
    rows: [
      { keys: ["+", "−"], does: "Zoom; also Ctrl + mouse wheel" },
      { keys: ["←", "→"], does: "Pan; also Shift + drag" },
      { keys: ["Home", "End"], does: "Go to the first or last frames" },
      { keys: ["0"], does: "Show all frames" },
      { keys: [",", "."], does: "Previous or next frame" },
      { keys: ["Enter"], does: "Select the marked frame" },
    ],
  },
  {
    name: "Stills, when focused",
    rows: [
      { keys: ["F"], does: "Flip between the two stills" },
      { keys: ["+", "−"], does: "Zoom; also Ctrl + mouse wheel" },
      { keys: ["←", "→", "↑", "↓"], does: "Pan" },
      { keys: ["0"], does: "Show the whole still" },
      { keys: ["Shift", "Arrow"], does: "In the heat map: select the next block" },
    ],
  },
  {
    name: "Video of a moment, when focused",
    rows: [
      { keys: ["Space"], does: "Play or pause" },
      { keys: ["←", "→"], does: "Previous or next frame" },
      { keys: ["Home", "End"], does: "Go to the first or last frame" },
      { keys: ["M"], does: "Go to the moment" },
    ],
  },
];

/** Handles the shortcuts of every page, and shows the list of all shortcuts on "?" or its button. */
export function Keys() {
  const navigate = useNavigate();
  const [isShown, setIsShown] = useState(false);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isOurs(event)) return;
    event.preventDefault();
    if (event.key === "?") setIsShown(true);
    else if (!focusSearch()) void navigate("/jobs", { state: { search: true } satisfies SearchState });
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return (
    <>
      <button
        type="button"
        className="plain"
        aria-label="Keyboard shortcuts"
        onClick={() => setIsShown(true)}
      >
        <kbd>?</kbd>
      </button>
      {isShown && <KeyList close={() => setIsShown(false)} />}
    </>
  );
}

function isOurs({ key, ctrlKey, altKey, metaKey, isComposing, target }: KeyboardEvent): boolean {
  if ((key !== "/" && key !== "?") || ctrlKey || altKey || metaKey || isComposing) return false;
  if (localStorage.getItem(OFF) !== null || document.querySelector("dialog[open]") !== null) return false;
  return (
    !(target instanceof Element) || target.closest("input, textarea, select, [contenteditable]") === null
  );
}

/** Returns false if the page has no search box. */
function focusSearch(): boolean {
  const box = document.querySelector<HTMLInputElement>("main input[type=search]");
  box?.focus();
  box?.select();
  return box !== null;
}

function KeyList({ close }: { readonly close: () => void }) {
  const [isOff, setIsOff] = useState(() => localStorage.getItem(OFF) !== null);
  const change = (isOn: boolean) => {
    if (isOn) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "");
    setIsOff(!isOn);
  };
  return (
    <Dialog title="Keyboard shortcuts" close={close} className="key-list">
      {GROUPS.map(({ name, rows }) => (
        <section key={name}>
          <h3>{name}</h3>
          <dl>
            {rows.map(({ keys, does }) => (
              <div key={keys.join()}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className="quiet">On a Mac, use ⌘ instead of Ctrl.</p>
      <label>
        <input type="checkbox" checked={!isOff} onChange={({ target }) => change(target.checked)} /> Enable{" "}
        <kbd>/</kbd> and <kbd>?</kbd>
      </label>
      <div className="dialog-buttons">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
