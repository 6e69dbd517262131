/** A connection or redirect that the rules for storages forbid. The message names no URL: it may be a secret. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
