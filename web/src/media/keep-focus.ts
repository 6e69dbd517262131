/** Buttons beside a field with faults. */
import type { MouseEvent } from "react";

/**
 * For onMouseDown: keeps the focus until the click. Otherwise, a fault could appear at the field that loses
 * the focus and move the button away.
 */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
