import { diffLines, diffWordsWithSpace, type Change } from 'diff';
import { memo } from 'react';
import { formatCount } from './format.ts';

/** Texts that differ by more, or that take longer to compare, are compared by lines, and then as wholes. */
const LIMITS = { maxEditLength: 1_500, timeout: 50 };
/** The length of two short texts together, in characters: they are compared by words, also on a slow computer. */
const SHORT = 2_000;

type TextDiffProps = {
  before: string;
  after: string;
  /**
   * Leaves out unchanged lines that are far from any difference, and compares texts that have little in common by
   * lines.
   */
  folds?: boolean;
};

type DifferencesProps = {
  changes: readonly Change[];
  /** The text that is shown, with its differences marked; by default both texts, merged. */
  side?: 'before' | 'after' | 'both';
  /** Leaves out unchanged lines that are far from any difference. */
  folds?: boolean;
};

/** How many unchanged lines stay on each side of a difference, and how many it takes to leave any out. */
const LINES_KEPT = 2;
const LINES_FOLDED = 7;

/** A text with what was removed struck through, and what was added underlined. */
export const TextDiff = memo(function TextDiff({ before, after, folds = false }: TextDiffProps) {
  return <Differences changes={compareTexts(before, after, folds)} folds={folds} />;
});

/** What `compareTexts` has found, as `TextDiff` shows it. */
export function Differences({ changes, side = 'both', folds = false }: DifferencesProps) {
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
        if (!folds) return <span key={index}>{value}</span>;
        return (
          <Unchanged key={index} text={value} isFirst={index === 0} isLast={index === changes.length - 1} />
        );
      })}
    </>
  );
}

/** The share of a text that has to be the same for a comparison by words to be readable. */
const MOSTLY_SAME = 0.6;

/** The differences of two texts, for both of their sides. `folds`: as in `TextDiff`. */
export function compareTexts(before: string, after: string, folds = false): readonly Change[] {
  const isShort = before.length + after.length <= SHORT;
  const changes = isShort ? diffWordsWithSpace(before, after) : diffWordsWithSpace(before, after, LIMITS);
  if (changes !== undefined && (!folds || isMostlySame(changes, before, after))) return changes;
  // a last line without its break would not be the same as one with it
  return diffLines(`${before}\n`, `${after}\n`, LIMITS) ?? replaced(before, after);
}

function isMostlySame(changes: readonly Change[], before: string, after: string): boolean {
  const same = changes.reduce(
    (sum, { value, added, removed }) => (added || removed ? sum : sum + value.length),
    0,
  );
  return same >= MOSTLY_SAME * Math.max(before.length, after.length);
}

function replaced(before: string, after: string): Change[] {
  return [
    { value: `${before}\n`, added: false, removed: true, count: 1 },
    { value: after, added: true, removed: false, count: 1 },
  ];
}

type UnchangedProps = { text: string; isFirst: boolean; isLast: boolean };

/** An unchanged text, without the lines in its middle if it is long. */
function Unchanged({ text, isFirst, isLast }: UnchangedProps) {
  const lines = text.split('\n');
  const [head, tail] = [isFirst ? 0 : LINES_KEPT, isLast ? 0 : LINES_KEPT];
  const hidden = lines.length - head - tail;
  if (hidden < LINES_FOLDED) return <span>{text}</span>;
  const count = `⋯ ${formatCount(hidden)} unchanged lines`;
  return (
    <span>
      {lines.slice(0, head).map((line) => `${line}\n`)}
      <span className="text-ink-3">{isLast ? count : `${count}\n`}</span>
      {tail > 0 && lines.slice(-tail).join('\n')}
    </span>
  );
}
