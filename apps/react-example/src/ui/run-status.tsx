import type { RunState, SerializedError } from '@cueline/core';
import { useRun, type AnyRun } from '@cueline/react';
import type { StorageFailure } from '@cueline/react/indexeddb';
import { clsx } from 'clsx';
import { RotateCcw, Square } from 'lucide-react';
import { useExecutorName, type ExecutorName } from '../run-executors.ts';
import { Button } from './button.tsx';

const phases = {
  requesting: 'Asks the model…',
  reasoning: 'Thinks…',
  text: 'Writes…',
  'tool-input': 'Calls a tool…',
  tools: 'Waits for a tool…',
  retrying: 'The model did not answer. Tries again…',
  offline: 'Waits for a network…',
} as const;

/** One line of fixed height: the run's status, and a button to stop or retry it. Renders by itself. */
export function RunStatus({ run }: { run: AnyRun }) {
  const state = useRun(run);
  const executor = useExecutorName();
  const { status, queued, storageError } = state;
  const isBusy = status === 'running' || status === 'waiting';
  const hasEnded = status === 'done' || status === 'error' || status === 'stopped';
  return (
    <>
      <div className="flex min-h-11 items-center gap-3 narrow:min-h-13 text-sm text-ink-2">
        <p
          role="status"
          data-testid="status"
          data-status={status}
          className={clsx(
            'min-w-0 flex-1',
            status === 'error' && (isInterrupted(state) ? 'text-warn' : 'text-danger'),
            status === 'waiting' && 'text-warn',
          )}
        >
          {describe(state, executor)}
          {queued > 0 && ` ${queued} more in the queue.`}
        </p>
        {(isBusy || hasEnded) && (
          // one button for both, so that a keyboard user who has stopped a run keeps the focus
          <Button
            variant={status === 'done' ? 'ghost' : 'outline'}
            onClick={() => (isBusy ? run.stop() : void run.retry())}
          >
            {isBusy ? <Square /> : <RotateCcw />}
            {isBusy ? 'Stop' : status === 'error' ? 'Go on' : 'Try again'}
          </Button>
        )}
      </div>
      {storageError !== undefined && (
        <p className="pb-2 text-sm text-warn">
          Not kept over a reload: {whyNotStored(storageError) ?? storageError.message}
        </p>
      )}
    </>
  );
}

function describe(state: RunState, executor: ExecutorName): string {
  switch (state.status) {
    case 'idle':
      return '';
    case 'running':
      return phases[state.phase];
    case 'waiting':
      return 'Waits for your answer.';
    case 'done':
      return `Done: ${count(state.steps.length, 'step')}, ${count(state.toolCalls.length, 'tool call')}, ${state.usage.totalTokens} tokens.`;
    case 'stopped':
      return 'Stopped. What it has said so far stays.';
    case 'error':
      return whyFailed(state.error, executor);
  }
}

/** A message for the reader: an error's own message is for the app's developer. */
function whyFailed({ code, message, details }: SerializedError, executor: ExecutorName): string {
  // the code of the route, or of the proxy: a provider that refuses the server's key is `auth`, too
  const refusal = details?.['routeCode'] ?? details?.['proxyCode'];
  if (refusal === 'unauthorized') {
    return 'The server no longer knows this page. Reload it, then continue.';
  }
  if (code === 'content_filter') return 'The model refused to answer this. Ask for something else.';
  if (code !== 'interrupted') return message;
  // a run on the server continues without its page, so there it was the server that stopped
  const what = executor === 'route' ? 'The server lost this run' : 'The page was left';
  return `${what} before the end. What is done is not done again.`;
}

function isInterrupted(state: RunState): boolean {
  return state.status === 'error' && state.error.code === 'interrupted';
}

const storageFaults: Partial<Record<StorageFailure, string>> = {
  denied: 'this browser lets the page store nothing.',
  full: 'this browser has no more space.',
  other_tab: 'it continues in another tab.',
};

function whyNotStored({ details }: SerializedError): string | undefined {
  return storageFaults[details?.['reason'] as StorageFailure];
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
