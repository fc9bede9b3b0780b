import { createContext, useContext, type CSSProperties, type ReactNode, type Ref } from 'react';

/** How many rows the list has, for screen readers: not all of them are on the page. */
export const RowCount = createContext(0);

type ContainerProps = { style: CSSProperties; children: ReactNode; ref?: Ref<HTMLDivElement> };

/** The element around the rows. */
export function ListContainer({ style, children, ref }: ContainerProps) {
  return (
    // rows react to the pointer even while a run streams and scrolls the list
    <div ref={ref} role="list" aria-label="Transcript" style={{ ...style, pointerEvents: undefined }}>
      {children}
    </div>
  );
}

/** The element around one row, with its place in the list. */
export function ListRow({ style, index, children, ref }: ContainerProps & { index: number }) {
  const count = useContext(RowCount);
  return (
    <div
      ref={ref}
      role="listitem"
      aria-posinset={index + 1}
      aria-setsize={count}
      data-transcript-row={index}
      style={style}
    >
      {/* a separate element: the list measures the row without its own padding */}
      <div className="flow-root pb-3 empty:pb-0">{children}</div>
    </div>
  );
}
