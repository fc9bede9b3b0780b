import { useState } from 'react';
import { plural } from './format.ts';
import { MoreButton } from './more-button.tsx';

/** How much of a text is drawn at first, and again at each press, in characters. */
const AT_ONCE = 20_000;

/** The beginning of a text, and a button for more of it. `atOnce` is how much is drawn at first, in characters. */
export function LongText({ text, atOnce = AT_ONCE }: { text: string; atOnce?: number }) {
  const [length, setLength] = useState(atOnce);
  if (text.length <= length) return text;
  return (
    <>
      {text.slice(0, length)}…{' '}
      <MoreButton onMore={() => setLength(length + AT_ONCE)}>
        Show more ({plural(text.length - length, 'character')} left)
      </MoreButton>
    </>
  );
}
