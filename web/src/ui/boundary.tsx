/** Catches what breaks while a page is drawn: the page says so, and the rest of the console stays. */
import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** What is shown; something else is tried again when it is asked for. */
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

  /** What broke in another place says nothing of this one. */
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
      <h1>This page does not work</h1>
      <p>{error.message}</p>
      <button type="button" className="primary" onClick={() => location.reload()}>
        Load again
      </button>
    </div>
  );
}
