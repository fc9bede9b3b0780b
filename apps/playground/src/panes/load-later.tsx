import { lazy, useState, type ComponentType } from 'react';

/** A component whose code loads when it is first drawn, or with `load`. Draw it inside a Suspense boundary. */
export type LaterComponent<Props> = ComponentType<Props> & { load: () => Promise<unknown> };

/**
 * A component whose code loads later. If the code is there, the component is drawn at once; `lazy` alone would first show
 * the boundary's fallback, and React keeps a fallback for up to 300 ms.
 */
export function loadLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LaterComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  const loadOnce = async (): Promise<{ default: ComponentType<Props> }> => {
    loaded ??= await load();
    return { default: loaded };
  };
  const Lazy = lazy(() => loadOnce().catch(() => ({ default: NotLoaded })));
  function Later(props: Props) {
    // a component that is on the page keeps its type, and with it its state
    const [Component] = useState<ComponentType<Props>>(() => loaded ?? Lazy);
    return <Component {...props} />;
  }
  return Object.assign(Later, { load: loadOnce });
}

/** In the place of a part whose code did not arrive. */
function NotLoaded() {
  return (
    <p role="alert" className="p-4 text-base text-danger">
      This part of the page could not be loaded. Reload the page.
    </p>
  );
}
