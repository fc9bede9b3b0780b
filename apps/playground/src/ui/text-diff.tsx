import { diffWordsWithSpace } from 'diff';
import { memo } from 'react';

/** Texts that differ by more, or that take longer to compare, are shown as they are. */
const LIMITS = { maxEditLength: 1_500, timeout: 50 };

type TextDiffProps = {
  before: string;
  after: string;
  /** Which text is shown, with its differences marked; by default both, one in the other. */
  side?: 'before' | 'after' | 'both';
};

/** A text with what was removed struck through, and what was added underlined. */
export const TextDiff = memo(function TextDiff({ before, after, side = 'both' }: TextDiffProps) {
  const changes = diffWordsWithSpace(before, after, LIMITS);
  if (changes === undefined) return <>{side === 'before' ? before : after}</>;
  return (
    <>
      {changes.map(({ value, added, removed }, index) => {
        if (added) {
          if (side === 'before') return null;
          return (
            <ins
              key={index}
              className="rounded-sm bg-ok-soft text-ok underline decoration-ok/60 underline-offset-2"
            >
              {value}
            </ins>
          );
        }
        if (removed) {
          if (side === 'after') return null;
          return (
            <del key={index} className="rounded-sm bg-danger-soft text-danger decoration-danger/60">
              {value}
            </del>
          );
        }
        return <span key={index}>{value}</span>;
      })}
    </>
  );
});
