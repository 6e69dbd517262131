/**
 * Parts of the console that are loaded on first use. After a controller upgrade, an open page requests files that no
 * longer exist; the page then reloads once per version.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from "react";

/**
 * Key of the version for which the page was reloaded. It is kept if the reload did not help, so that there is
 * no endless loop of reloads.
 */
const LOADED_ANEW = "svc.loaded-anew";
/** The name of a built file changes with its content. */
const VERSION = import.meta.url;

export function lazily<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await load().catch(loadAnew) }));
}

/** Throws if a reload would not help, or would lose the page because the controller does not answer. */
async function loadAnew(cause: unknown): Promise<never> {
  const isDone = sessionStorage.getItem(LOADED_ANEW) === VERSION;
  if (isDone || !(await answers()))
    throw new Error(
      "Part of the console could not be loaded. The network may be down, or the controller is being upgraded.",
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
