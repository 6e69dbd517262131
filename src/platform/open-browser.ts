/** Opens the browser of this machine. */
import { spawn } from "node:child_process";

/** The variables that are read; process.env fits. */
export type BrowserEnvironment = Readonly<
  Partial<Record<"BROWSER" | "DISPLAY" | "WAYLAND_DISPLAY", string | undefined>>
>;

/**
 * Returns the command that opens a URL, or undefined if there is no browser that anyone could see. The URL replaces
 * "%s" or is appended. $BROWSER may hold several commands separated by ":"; the first is used.
 */
export function browserCommand(
  { BROWSER: named, DISPLAY, WAYLAND_DISPLAY }: BrowserEnvironment,
  platform: NodeJS.Platform,
): readonly string[] | undefined {
  const words =
    named
      ?.split(":")[0]
      ?.split(" ")
      .filter((word) => word !== "") ?? [];
  if (words.length > 0) return words;
  if (platform === "darwin") return ["open"];
  return DISPLAY || WAYLAND_DISPLAY ? ["xdg-open"] : undefined;
}

/** Starts the browser, which outlives this process. `onFailure` is called if it could not be opened. */
export function openBrowser(command: readonly string[], url: string, onFailure: () => void): void {
  const [program = "", ...words] = command;
  const args = words.includes("%s") ? words.map((word) => (word === "%s" ? url : word)) : [...words, url];
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", onFailure);
  child.on("exit", (code) => {
    if (code !== 0) onFailure();
  });
  child.unref();
}
