import type { SubCallState } from '@cueline/core';
import { clsx } from 'clsx';
import { Ban, Check, CircleAlert, LoaderCircle } from 'lucide-react';
import { memo } from 'react';
import { formatDuration, keyArguments, newFields, summarize } from './format.ts';
import { LiveDuration } from './live-duration.tsx';

const stands: Record<SubCallState['state'], { words: string; look: string; Icon: typeof Check }> = {
  running: { words: 'Running', look: 'text-tool animate-spin', Icon: LoaderCircle },
  'output-available': { words: 'Done', look: 'text-ok', Icon: Check },
  'output-error': { words: 'Failed', look: 'text-danger', Icon: CircleAlert },
  interrupted: { words: 'Interrupted', look: 'text-ink-3', Icon: Ban },
};

type SubCallsProps = { subCalls: readonly SubCallState[]; origin: number | undefined };

/** What a composite tool does, one call below the other, as it does it. */
export const SubCalls = memo(function SubCalls({ subCalls, origin }: SubCallsProps) {
  return (
    <ol aria-label="Calls inside this call" className="scroll max-h-60 border-t border-line py-1">
      {subCalls.map((call, index) => (
        <SubCall key={index} call={call} origin={origin} />
      ))}
    </ol>
  );
});

function SubCall({ call, origin }: { call: SubCallState; origin: number | undefined }) {
  const { name, input, state, output, errorText, startedAt, ms } = call;
  const { words, look, Icon } = stands[state];
  return (
    <li
      data-sub-call={name}
      data-state={state}
      className="flex min-h-7 items-center gap-2 pr-2.5 pl-8 text-sm"
    >
      <Icon aria-hidden className={clsx('size-3.5 shrink-0', look)} />
      <span className="sr-only">{words}: </span>
      <bdi className="shrink-0 font-mono">{name}</bdi>
      <span className="min-w-0 truncate text-ink-2">
        {keyArguments(input)
          .map(({ name: key, value }) => `${key} ${value}`)
          .join(' · ')}
      </span>
      {state === 'output-available' && (
        <span className="max-w-[50%] min-w-16 truncate">
          <span className="pr-1.5 text-ink-3">→</span>
          {summarize(newFields(output, input), 60)}
        </span>
      )}
      {errorText !== undefined && <span className="min-w-16 truncate text-danger">{errorText}</span>}
      <span className="ml-auto shrink-0 pl-2 text-right text-ink-2">
        {ms !== undefined ? (
          formatDuration(ms)
        ) : state === 'running' && origin !== undefined ? (
          <LiveDuration since={origin + startedAt} />
        ) : null}
      </span>
    </li>
  );
}
