import type { ToolCallState } from '@cueline/core';
import { clsx } from 'clsx';
import { formatDuration, keyArguments, newFields, summarize } from '../ui/format.ts';
import { LiveDuration } from '../ui/live-duration.tsx';
import { isSuspended } from './outcome.ts';
import { visibleText } from '../ui/visible-text.ts';

/** Arguments up to this many characters are shown whole, and the result gets the rest of the line. */
const SHORT = 24;

/** The arguments of a call in a few words, and its result; `quiet` if that is shown elsewhere. */
export function CallSummary({ call, quiet = false }: { call: ToolCallState; quiet?: boolean }) {
  const { state, inputText, input, output, errorText = '' } = call;
  const words = typeof input === 'string' ? summarize(input, 80) : '';
  const pairs = keyArguments(input);
  const length = pairs.reduce((sum, { name, value }) => sum + name.length + value.length + 3, words.length);
  const [ofInput, ofOutput] =
    length <= SHORT ? ['shrink-0', 'min-w-0'] : ['min-w-0 truncate', 'max-w-[55%] shrink-0'];
  return (
    <span className="flex min-w-0 flex-1 text-sm text-ink-2 empty:hidden narrow:order-last narrow:basis-full narrow:pl-5.5">
      {state === 'input-streaming' ? (
        <span className="truncate font-mono">{visibleText(inputText.slice(-80))}</span>
      ) : (
        <span className={clsx(ofInput, 'empty:hidden')}>
          {visibleText(words)}
          {pairs.map(({ name, value }, index) => (
            <span key={name}>
              {index > 0 && <span className="text-ink-3"> · </span>}
              <span className="text-ink-3">{visibleText(name)}</span> {visibleText(value)}
            </span>
          ))}
        </span>
      )}
      {state === 'output-available' && !isSuspended(call) && (
        <span className={clsx(ofOutput, 'truncate')}>
          <span className="px-1.5 text-ink-3">→</span>
          <span className="text-ink">{visibleText(summarize(newFields(output, input), 60))}</span>
        </span>
      )}
      {state === 'output-error' && !quiet && (
        <span className={clsx(ofOutput, 'truncate pl-2 text-danger')}>
          {visibleText(summarize(errorText, 80))}
        </span>
      )}
    </span>
  );
}

/** How long a call took, or has taken so far. */
export function CallDuration({ call, origin }: { call: ToolCallState; origin: number | undefined }) {
  const { startedAt, finishedAt } = call;
  if (startedAt === undefined) return null;
  return (
    <span className="w-14 shrink-0 text-right text-sm text-ink-2">
      {finishedAt !== undefined ? (
        formatDuration(finishedAt - startedAt)
      ) : origin !== undefined ? (
        <LiveDuration since={origin + startedAt} />
      ) : null}
    </span>
  );
}
