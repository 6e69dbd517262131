/** Buttons beside a field with faults. */
import type { MouseEvent } from "react";

/**
 * For onMouseDown: the focus stays where it is until the click. A fault that appears at the field that was left would
 * move the button away.
 */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
