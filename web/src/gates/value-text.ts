/** The value of a gate as text, with enough decimals to show on which side of the limit it is. */

const [FEWEST, MOST] = [2, 6];

/** "93.00", but "92.9996" where fewer decimals would not show that the value is below 93. */
export function gateValueText(value: number, limit: number): string {
  const side = Math.sign(value - limit);
  for (let decimals = FEWEST; decimals <= MOST; decimals++) {
    const text = value.toFixed(decimals);
    if (Math.sign(Number(text) - limit) === side) return text;
  }
  // Rounded away from the limit.
  const unit = 10 ** MOST;
  return ((side < 0 ? Math.floor(value * unit) : Math.ceil(value * unit)) / unit).toFixed(MOST);
}
