/** Formats frame numbers as times. */

/** HH:MM:SS:FF, non-drop: counts whole frames per second as editing systems do (29.97 counts 30 and skips none). */
export function timecode(frame: number, rate: number): string {
  const perSecond = Math.max(1, Math.round(rate));
  const seconds = Math.floor(frame / perSecond);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60, frame % perSecond];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** Returns the decimals needed to distinguish times that are `step` seconds apart. */
export function clockDecimals(step: number): number {
  if (!(step > 0) || step >= 10 || Math.abs(step - Math.round(step)) < 1e-6) return 0;
  return Math.max(1, Math.ceil(-Math.log10(step)));
}

/** M:SS or H:MM:SS of real time, for an axis, with a number of decimals. */
export function clock(seconds: number, decimals = 0): string {
  const parts = 10 ** decimals;
  const all = Math.floor(seconds * parts + 1e-6);
  const whole = Math.floor(all / parts);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const fraction = decimals === 0 ? "" : `.${String(all % parts).padStart(decimals, "0")}`;
  const tail = `${String(whole % 60).padStart(2, "0")}${fraction}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}
