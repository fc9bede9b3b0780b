import { useState, type ReactNode } from 'react';
import { plural } from './format.ts';
import { MoreButton } from './more-button.tsx';

/** How much of a text is drawn at first, and again at each press, in characters. */
const AT_ONCE = 20_000;

type LongTextProps = {
  text: string;
  /** How much is drawn at first, in characters. */
  atOnce?: number;
  /** Draws the text. Default: unchanged. */
  draw?: (text: string) => ReactNode;
};

/** The beginning of a text, and a button for more of it. */
export function LongText({ text, atOnce = AT_ONCE, draw = asItIs }: LongTextProps) {
  const [length, setLength] = useState(atOnce);
  if (text.length <= length) return draw(text);
  return (
    <>
      {draw(text.slice(0, length))}…{' '}
      <MoreButton onMore={() => setLength(length + AT_ONCE)}>
        Show more ({plural(text.length - length, 'character')} left)
      </MoreButton>
    </>
  );
}

function asItIs(text: string): ReactNode {
  return text;
}
