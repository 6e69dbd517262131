/** Catches rendering errors: the page shows the error, and the rest of the console keeps working. */
import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** The current place; after an error, another place is rendered again. */
  readonly place: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: Error | undefined;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(thrown: unknown): BoundaryState {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  /** An error in one place does not affect another. */
  override componentDidUpdate({ place }: BoundaryProps, { error }: BoundaryState): void {
    if (place !== this.props.place && error !== undefined) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <Broken error={error} />;
  }
}

function Broken({ error }: { readonly error: Error }) {
  return (
    <div className="state" role="alert">
      <h1>This page failed</h1>
      <p>{error.message}</p>
      <button type="button" className="primary" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}
