import { useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { ErrorBoundary } from '../ui/error-boundary.tsx';

/** A component whose code loads when it is first drawn, or with `load`. */
export type LazyComponent<Props> = ComponentType<Props> & { load: () => Promise<unknown> };

const notLoaded = (
  <p role="alert" className="p-4 text-base text-danger">
    This part of the page could not be loaded. Reload the page.
  </p>
);

/**
 * A component whose code loads later. If the code has loaded, the component is drawn at once; until then, `waiting` is
 * drawn in its place, and `failed` if the code does not load. If the component fails to render, an error takes its
 * place, and the rest of the page stays.
 *
 * It uses state instead of Suspense: React would draw a suspended component only after all frames of a run that plays
 * meanwhile, and keeps a fallback for up to 300 ms.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting?: ReactNode,
  failed: ReactNode = notLoaded,
): LazyComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  const loadOnce = async (): Promise<ComponentType<Props>> => {
    loaded ??= await load();
    return loaded;
  };
  function Later(props: Props) {
    // a mounted component keeps its type, and with it its state
    const [Component, setComponent] = useState<ComponentType<Props> | undefined>(() => loaded);
    useEffect(() => {
      if (Component !== undefined) return undefined;
      let isHere = true;
      const draw = (next: ComponentType<Props>): void => {
        if (isHere) setComponent(() => next);
      };
      loadOnce().then(draw, () => draw(() => failed));
      return () => {
        isHere = false;
      };
    }, [Component]);
    if (Component === undefined) return waiting;
    return (
      <ErrorBoundary>
        <Component {...props} />
      </ErrorBoundary>
    );
  }
  return Object.assign(Later, { load: loadOnce });
}
