import { useEffect, useState, type ReactElement } from 'react';
import type { ContenderProps } from './contender.ts';

/** The least that showing a stream can cost: a string, set at most once a frame. */
export function Floor({ feed, count, rendered }: ContenderProps): ReactElement {
  const [text, setText] = useState('');
  rendered();
  useEffect(() => {
    let whole = '';
    let scheduled = false;
    feed(
      count,
      (delta) => {
        whole += delta;
        if (scheduled) return;
        scheduled = true;
        requestAnimationFrame(() => {
          scheduled = false;
          setText(whole);
        });
      },
      () => {},
    );
  }, [feed, count]);
  return <p>{text}</p>;
}
