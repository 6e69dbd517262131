/** The browser of this machine. */
import { spawn } from "node:child_process";

/** The variables that are asked; process.env is one. */
export type BrowserEnvironment = Readonly<
  Partial<Record<"BROWSER" | "DISPLAY" | "WAYLAND_DISPLAY", string | undefined>>
>;

/**
 * The command that opens an address, which takes the place of "%s" or is added; undefined: there is no
 * browser here that anybody would see. $BROWSER is one, or several with ":" between, of which the first counts.
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

/** The browser is the user's: it stays when this process ends. `onFailure`: it could not be opened. */
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
