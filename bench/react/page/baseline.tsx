import { memo, useEffect, useState, type ReactElement } from 'react';
import { sayPlan } from './answers.ts';
import type { ContenderProps } from './contender.ts';
import { Answer, Earlier } from './earlier-messages.tsx';

const StaticEarlier = memo(Earlier);

/**
 * The minimum for showing a stream: a string, set at most once a frame. Arguments are parsed only once they are
 * whole.
 */
export function Floor({ kind, feed, pieces, earlier, rendered }: ContenderProps): ReactElement {
  const [text, setText] = useState('');
  rendered();
  useEffect(() => {
    let whole = '';
    let scheduled = false;
    feed(
      pieces,
      (piece) => {
        whole += piece;
        if (scheduled) return;
        scheduled = true;
        requestAnimationFrame(() => {
          scheduled = false;
          setText(kind === 'text' ? whole : `${whole.length} characters`);
        });
      },
      () => {
        if (kind === 'argument') requestAnimationFrame(() => setText(sayPlan(JSON.parse(whole))));
      },
    );
  }, [kind, feed, pieces]);
  return (
    <>
      <StaticEarlier messages={earlier} />
      <Answer text={text} />
    </>
  );
}
