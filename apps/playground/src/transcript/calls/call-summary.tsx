import type { ToolCallState } from '@cueline/core';
import { clsx } from 'clsx';
import type { RunClock } from '../../state/run-clock.ts';
import type { TaskVerdict } from '../../tasks/verdicts.ts';
import { formatDuration, keyArguments, newFields, summarize } from '../../ui/format.ts';
import { LiveDuration } from '../../ui/live-duration.tsx';
import { isRightToLeft } from '../../ui/text/sentence.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { isSuspended } from '../outcome.ts';

/**
 * Arguments and the call's state are beside the name if they have at most this many characters, otherwise on their own
 * line.
 */
const MAX_BESIDE_LENGTH = 38;
/** Arguments and a result that have this many characters together fit on the name's line in the narrowest pane. */
const FITS_ALWAYS = 34;
/** The same for the widest pane. */
const FITS_WIDE = 64;

type Result = { text: string; className: string; arrow?: boolean };

/**
 * The arguments of a call in a few words, and its result; `quiet` if that is shown elsewhere. In a line that wraps,
 * whatever does not fit beside the name comes below it, and is not cut there.
 */
export function CallSummary({
  call,
  quiet = false,
  verdict,
  beside = 0,
  inset = 'pl-5.5',
}: {
  call: ToolCallState;
  quiet?: boolean;
  verdict?: TaskVerdict | undefined;
  /** The characters at the end of the first line, which say how far the call has come. */
  beside?: number;
  /** The indent of the lines below the name. */
  inset?: 'pl-5.5' | 'pl-8.5';
}) {
  const pairs = argumentsOf(call);
  const result = resultOf(call, quiet, verdict);
  const ofInput = pairs.reduce((sum, { name = '', value }) => sum + name.length + value.length + 3, 0);
  const all = call.toolName.length + ofInput + (result?.text.length ?? 0);
  const isBeside = ofInput + beside <= MAX_BESIDE_LENGTH;
  const fits = all <= FITS_ALWAYS ? 'always' : all <= FITS_WIDE ? 'wide' : 'never';
  if (call.state === 'input-streaming') {
    return (
      <span className="min-w-0 flex-1 basis-0 truncate font-mono text-sm text-ink-2">
        {visibleText(call.inputText.slice(0, 80))}
      </span>
    );
  }
  return (
    <>
      {pairs.length > 0 && (
        <span
          className={clsx(
            'min-w-0 text-sm text-ink-2 narrow:order-last narrow:line-clamp-3 narrow:basis-full narrow:wrap-anywhere',
            isBeside ? 'truncate' : clsx(below, inset),
            isBeside && belowIfNarrow[inset],
          )}
        >
          {pairs.map(({ name, value }, index) => (
            <span key={name ?? ''}>
              {index > 0 && <span className="text-ink-3"> · </span>}
              {name !== undefined && <span className="text-ink-3">{visibleText(name)} </span>}
              <bdi>{visibleText(value)}</bdi>
            </span>
          ))}
        </span>
      )}
      {result !== undefined && (
        <span
          className={clsx(
            'min-w-0 text-sm narrow:order-last narrow:line-clamp-3 narrow:basis-full narrow:wrap-anywhere',
            result.className,
            fits === 'always' ? belowIfNarrow[inset] : clsx(below, inset),
            fits === 'wide' && '@min-[680px]:order-none @min-[680px]:basis-auto @min-[680px]:pl-0',
          )}
        >
          {result.arrow && <span className="pr-1.5 text-ink-3">→</span>}
          {isRightToLeft(result.text) ? <bdi>{visibleText(result.text)}</bdi> : visibleText(result.text)}
        </span>
      )}
    </>
  );
}

/** The arguments of a call in a few words, as pairs or as one text. */
function argumentsOf({ input }: ToolCallState): { name?: string; value: string }[] {
  if (typeof input === 'string') return input === '' ? [] : [{ value: summarize(input, 100) }];
  return keyArguments(input, 64);
}

/** The result in a few words, or the error; undefined before there is one, and if it is shown elsewhere. */
function resultOf(call: ToolCallState, quiet: boolean, verdict: TaskVerdict | undefined): Result | undefined {
  const { state, input, output, errorText = '' } = call;
  if (verdict?.kind === 'refused') return { text: summarize(verdict.reason, 200), className: 'text-warn' };
  if (state === 'output-available' && !isSuspended(call)) {
    return { text: summarize(newFields(output, input), 200, 6), className: 'text-ink', arrow: true };
  }
  return state === 'output-error' && !quiet
    ? { text: summarize(errorText, 200), className: 'text-danger' }
    : undefined;
}

/** On a line of its own below the name, of at most three lines. */
const below = 'order-last line-clamp-3 basis-full wrap-anywhere';
/** The same on a phone, and in a narrow pane. */
const belowIfNarrow = {
  'pl-5.5': 'narrow:pl-5.5 @max-[400px]:order-last @max-[400px]:basis-full @max-[400px]:pl-5.5',
  'pl-8.5': 'narrow:pl-8.5 @max-[400px]:order-last @max-[400px]:basis-full @max-[400px]:pl-8.5',
} as const;

/** How long a call took, or has taken so far. */
export function CallDuration({ call, clock }: { call: ToolCallState; clock: RunClock | undefined }) {
  const { startedAt, finishedAt } = call;
  if (startedAt === undefined) return null;
  return (
    <span className="min-w-12 shrink-0 text-right text-sm text-ink-2">
      {finishedAt !== undefined ? (
        formatDuration(finishedAt - startedAt)
      ) : clock !== undefined ? (
        <LiveDuration clock={clock} since={startedAt} />
      ) : null}
    </span>
  );
}
