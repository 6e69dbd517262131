/**
 * Parts of the console that are loaded when they are shown first. A page that was opened before the
 * controller was upgraded asks for files that are gone: it is loaded anew by itself, once for each version.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from "react";

/** The version of the page for which that was done; it stays when it did not help, so that nothing goes round. */
const LOADED_ANEW = "svc.loaded-anew";
/** The name of a built file changes with its content. */
const VERSION = import.meta.url;

export function lazily<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await load().catch(loadAnew) }));
}

/** Throws when to load the page anew would help nothing, or leave none because nobody answers. */
async function loadAnew(cause: unknown): Promise<never> {
  const isDone = sessionStorage.getItem(LOADED_ANEW) === VERSION;
  if (isDone || !(await answers()))
    throw new Error(
      "A part of the console did not arrive. The network may be away, or the controller is being upgraded.",
      { cause },
    );
  sessionStorage.setItem(LOADED_ANEW, VERSION);
  location.reload();
  return new Promise(() => {});
}

function answers(): Promise<boolean> {
  return fetch(`${import.meta.env.BASE_URL}config.json`, { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
}
