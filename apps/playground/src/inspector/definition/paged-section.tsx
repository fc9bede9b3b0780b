import { useState, type ReactNode } from 'react';
import { ShowMore } from '../../ui/more-button.tsx';
import { EmptyText, Section } from '../../ui/section.tsx';

/** How many rows are drawn at first, and again at each press. */
const ROWS_AT_ONCE = 50;

type PagedSectionProps<Row> = {
  title: string;
  hint: string;
  /** Shown instead of an empty list. */
  empty: string;
  /** `steps`: what the button for earlier rows counts. */
  noun: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  children: (row: Row) => ReactNode;
};

/** A section with a row for each step or change, oldest first. A long list shows its last rows. */
export function PagedSection<Row>({
  title,
  hint,
  empty,
  noun,
  rows,
  keyOf,
  children,
}: PagedSectionProps<Row>) {
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const first = Math.max(0, rows.length - most);
  return (
    <Section title={title} hint={hint}>
      {rows.length === 0 && <EmptyText>{empty}</EmptyText>}
      <ShowMore left={first} label={`Show earlier ${noun}`} onMore={() => setMost(most + ROWS_AT_ONCE)} />
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-1">
        {rows.slice(first).map((row) => (
          <li key={keyOf(row)}>{children(row)}</li>
        ))}
      </ol>
    </Section>
  );
}
