import { Component, type ReactNode } from 'react';

type ErrorBoundaryProps = {
  /** By default, a sentence. */
  fallback?: ReactNode;
  /** When it changes, failed children are rendered again. */
  retryKey?: unknown;
  children: ReactNode;
};

type ErrorBoundaryState = { failed: boolean; retryKey?: unknown };

/** Shows `fallback` for children that fail to render, so that the rest of the page stays. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failed: false };

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { failed: true };
  }

  static getDerivedStateFromProps(
    { retryKey }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return retryKey === state.retryKey ? null : { failed: false, retryKey };
  }

  override render(): ReactNode {
    const { fallback = <Failed />, children } = this.props;
    return this.state.failed ? fallback : children;
  }
}

function Failed() {
  return (
    <p role="alert" className="p-4 text-base text-danger">
      This part of the page cannot be shown. Reload the page.
    </p>
  );
}
