/** Keys that work on every page, and the list of all keys. */
import { useEffect, useEffectEvent, useState } from "react";
import { useNavigate } from "react-router";
import { Dialog } from "./dialog.tsx";

/** Whether the keys "/" and "?" are left to the browser, as people who speak to it may want. */
const OFF = "svc.keys-off";

/** Of the page "/" goes to where there is nothing to search: its search box takes the focus. */
export interface SearchState {
  readonly search: true;
}

interface KeyRow {
  /** Pressed one after the other or together, as they are written. */
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
  { name: "Submit jobs", rows: [{ keys: ["Ctrl", "Enter"], does: "Submit" }] },
  {
    name: "Chart, when it has the focus",
    rows: [
      { keys: ["+", "−"], does: "Zoom, as does the wheel with Ctrl" },
      { keys: ["←", "→"], does: "Move, as does a drag with Shift" },
      { keys: ["Home", "End"], does: "Go to the first and the last frames" },
      { keys: ["0"], does: "Show all frames" },
      { keys: [",", "."], does: "Step to the frame before or after" },
      { keys: ["Enter"], does: "Pick the marked frame" },
    ],
  },
  {
    name: "Pictures, when they have the focus",
    rows: [
      { keys: ["F"], does: "Flip between the two pictures" },
      { keys: ["+", "−"], does: "Zoom, as does the wheel with Ctrl" },
      { keys: ["←", "→", "↑", "↓"], does: "Move" },
      { keys: ["0"], does: "Show the whole picture" },
    ],
  },
];

/** Listens to the keys of every page, and shows the list of all keys: by "?" or by its button. */
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

/** False: the page has nothing to search. */
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
      <p className="quiet">On a Mac, ⌘ does what Ctrl does.</p>
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
