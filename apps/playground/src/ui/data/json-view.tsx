import { memo, useMemo, useState } from 'react';
import { formatCount } from '../format.ts';
import { MoreButton } from '../more-button.tsx';
import { visibleText } from '../visible-text.ts';

/** How much of a value is drawn at first, in characters. */
const FIRST_CHARACTERS = 6_000;
const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * A value as indented JSON with colored keys and literals; text as it is. Hidden characters are written as escapes.
 */
export const JsonView = memo(function JsonView({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(
    () => visibleText(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'nothing')),
    [value],
  );
  const shown = whole ? text : text.slice(0, FIRST_CHARACTERS);
  return (
    <>
      <pre className="font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
        {typeof value === 'string' ? shown : paint(shown)}
      </pre>
      {shown.length < text.length && (
        <MoreButton className="mt-1" onMore={() => setWhole(true)}>
          Show all {formatCount(text.length)} characters
        </MoreButton>
      )}
    </>
  );
});

function paint(json: string) {
  const painted = [];
  let end = 0;
  for (const match of json.matchAll(token)) {
    if (match.index > end) painted.push(json.slice(end, match.index));
    const [all, text, colon] = match;
    const className =
      text !== undefined && colon !== undefined ? 'text-ink' : text !== undefined ? 'text-ok' : 'text-tool';
    painted.push(
      <span key={match.index} className={className}>
        {text !== undefined && colon !== undefined ? text : all}
      </span>,
      text !== undefined && colon !== undefined ? colon : '',
    );
    end = match.index + all.length;
  }
  painted.push(json.slice(end));
  return painted;
}
