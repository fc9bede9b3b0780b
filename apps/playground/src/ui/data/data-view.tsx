import { clsx } from 'clsx';
import { Braces } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { Button } from '../button.tsx';
import { Chevron } from '../chevron.tsx';
import { CopyButton } from '../copy-button.tsx';
import { jsonText, summarize } from '../format.ts';
import { LongText } from '../long-text.tsx';
import { ShowMore, useFirstItems } from '../more-button.tsx';
import { Tip } from '../tip.tsx';
import { visibleText } from '../visible-text.ts';
import { JsonView } from './json-view.tsx';

/** A value with more parts than this is drawn with what is inside it folded. */
const MAX_UNFOLDED = 300;
/** How much of a text inside a value is drawn at first, in characters. */
const FIRST_CHARACTERS = 4_000;

/** Types of pictures that are drawn from their bytes. No address is ever loaded. */
const drawable = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/i;

/**
 * A value to be read: fields as rows, lists as lists, texts as texts with their line breaks, and pictures. A switch
 * shows it as JSON, and a button copies it.
 */
export const DataView = memo(function DataView({ label, value }: { label: string; value: unknown }) {
  const [raw, setRaw] = useState(false);
  return (
    <div role="group" aria-label={label}>
      <div className="flex min-h-7 items-center gap-1">
        <span className="min-w-0 truncate text-xs font-medium text-ink-3">{label}</span>
        <span className="ml-auto flex">
          <Tip text={raw ? 'Show as data' : 'Show as JSON'}>
            <Button
              square
              aria-label={`Raw JSON of ${label}`}
              aria-pressed={raw}
              className="aria-pressed:bg-hover aria-pressed:text-ink"
              onClick={() => setRaw(!raw)}
            >
              <Braces />
            </Button>
          </Tip>
          <CopyButton label={`Copy ${label}`} text={() => jsonText(value)} />
        </span>
      </div>
      {raw ? (
        <JsonView value={typeof value === 'string' ? JSON.stringify(value) : value} />
      ) : (
        <Data value={value} />
      )}
    </div>
  );
});

/** A value as rows, lists and texts, without controls. */
export function Data({ value }: { value: unknown }) {
  const folds = useMemo(() => hasMoreParts(value, MAX_UNFOLDED), [value]);
  return <Value value={value} folds={folds} />;
}

type ValueProps = { value: unknown; folds: boolean };

function Value({ value, folds }: ValueProps) {
  if (typeof value === 'string') return <Text text={value} />;
  if (value === undefined) return <span className="text-ink-3">nothing</span>;
  if (value === null || typeof value !== 'object') {
    return <span className="font-mono text-sm text-tool">{JSON.stringify(value)}</span>;
  }
  return <Entries value={value} folds={folds} />;
}

function Text({ text }: { text: string }) {
  const visible = useMemo(() => visibleText(text), [text]);
  if (text === '') return <span className="text-ink-3">empty text</span>;
  return (
    <span className="wrap-anywhere whitespace-pre-wrap text-ink">
      <LongText text={visible} atOnce={FIRST_CHARACTERS} />
    </span>
  );
}

function Entries({ value, folds }: { value: object; folds: boolean }) {
  const isList = Array.isArray(value);
  const keys = Object.keys(value);
  const { shown, ...more } = useFirstItems(keys, 50);
  if (keys.length === 0) return <span className="text-ink-3">{isList ? 'empty list' : 'no fields'}</span>;
  const picture = pictureOf(value);
  const List = isList ? 'ol' : 'dl';
  return (
    <>
      <List
        className={clsx(
          'grid gap-x-3 gap-y-1',
          isList ? 'grid-cols-[auto_minmax(0,1fr)]' : 'grid-cols-[fit-content(40%)_minmax(0,1fr)]',
        )}
      >
        {shown.map((key) => (
          <Entry
            key={key}
            name={key}
            value={(value as Record<string, unknown>)[key]}
            picture={key === 'data' ? picture : undefined}
            {...{ isList, folds }}
          />
        ))}
      </List>
      <ShowMore {...more} className="" />
    </>
  );
}

/** The data URL of an object's bytes, if it is a picture such as a tool's result or a message has; else undefined. */
function pictureOf(value: object): string | undefined {
  const { data, mediaType } = value as { data?: unknown; mediaType?: unknown };
  if (typeof data !== 'string' || typeof mediaType !== 'string' || !drawable.test(mediaType))
    return undefined;
  return `data:${mediaType};base64,${data.replace(/^data:[^,]*,/, '')}`;
}

/** A picture, or the text of its bytes if the browser cannot read them. */
function Picture({ url, text }: { url: string; text: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <Text text={text} />;
  return (
    <img
      src={url}
      alt="Drawn from its bytes"
      onError={() => setBroken(true)}
      className="inline-block max-h-60 max-w-full rounded-md align-top border border-line bg-panel object-contain"
    />
  );
}

type EntryProps = ValueProps & { name: string; isList: boolean; picture: string | undefined };

function Entry({ name, value, isList, folds, picture }: EntryProps) {
  const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  const content =
    picture !== undefined ? (
      <Picture url={picture} text={String(value)} />
    ) : isNested && folds ? (
      <Folded name={name} value={value} />
    ) : (
      <Value value={value} folds={folds} />
    );
  const row = 'col-span-2 grid grid-cols-subgrid items-baseline';
  if (isList) {
    return (
      <li className={row}>
        <span aria-hidden className="text-right text-sm text-ink-3">
          {Number(name) + 1}
        </span>
        <div className="min-w-0">{content}</div>
      </li>
    );
  }
  // nested content is below the field's name, so that it has the whole width
  const below = isNested && !folds;
  return (
    <div className={row}>
      <dt className={clsx('text-sm wrap-anywhere text-ink-3', below && 'col-span-2')}>{visibleText(name)}</dt>
      <dd className={clsx('min-w-0', below && 'col-span-2 ml-1 border-l border-line pl-2.5')}>{content}</dd>
    </div>
  );
}

function Folded({ name, value }: { name: string; value: object }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        aria-label={`${name}: ${summarize(value)}`}
        onClick={() => setOpen(!open)}
        className="flex max-w-full min-w-0 items-center gap-1 text-left text-ink-2 hover:text-ink narrow:min-h-11"
      >
        <Chevron open={open} />
        <span className="truncate">{visibleText(summarize(value))}</span>
      </button>
      {open && (
        <div className="ml-1 border-l border-line pl-2.5">
          <Data value={value} />
        </div>
      )}
    </>
  );
}

/** True if a value has more than `most` fields and items in all. */
function hasMoreParts(value: unknown, most: number): boolean {
  const open: unknown[] = [value];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const parts = Object.values(next);
    count += parts.length;
    if (count > most) return true;
    for (const part of parts) if (part !== undefined) open.push(part);
  }
  return false;
}
