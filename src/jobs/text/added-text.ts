/** The outcome of adding encodes to a comparison as a sentence: "2 encodes added, 1 was there already." */
export function addedText(added: number, existed: number): string {
  const there = `, ${existed} ${existed === 1 ? "was" : "were"} there already`;
  return `${added} ${added === 1 ? "encode" : "encodes"} added${existed === 0 ? "" : there}.`;
}
