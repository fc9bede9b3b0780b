import type { ApprovalResponse, ToolCallState } from '@cueline/core';
import type { DynamicToolUIPart, ToolUIPart } from 'ai';
import { clsx } from 'clsx';
import { Check, ChevronRight, CircleSlash, Ellipsis, LoaderCircle } from 'lucide-react';

type Look = { words: string; color: string; Icon: typeof Check };

const writing: Look = { words: 'Writes the call', color: 'text-ink-2', Icon: Ellipsis };
const styles: Partial<Record<string, Look>> = {
  'input-streaming': writing,
  'input-available': { words: 'Waits', color: 'text-ink-2', Icon: Ellipsis },
  running: { words: 'Runs', color: 'text-tool', Icon: LoaderCircle },
  'output-available': { words: 'Done', color: 'text-go', Icon: Check },
  // failed, or refused by the user: the text below the line says which
  'output-error': { words: 'Not done', color: 'text-ink-2', Icon: CircleSlash },
  interrupted: { words: 'Interrupted', color: 'text-ink-2', Icon: CircleSlash },
};

type ToolCardProps = {
  part: ToolUIPart | DynamicToolUIPart;
  call: ToolCallState | undefined;
  /** The user's response to its approval, if it has one. */
  response: ApprovalResponse | undefined;
};

/** A tool call on one line, with its arguments as they arrive. It opens to show all of them, and the result. */
export function ToolCard({ part, call, response }: ToolCardProps) {
  const state = call?.state ?? part.state;
  // the message has the model's arguments, even if the user approved the call with others
  const edited = response?.approved === true ? response.input : undefined;
  const input = edited ?? call?.partialInput ?? part.input;
  const { words, color, Icon } = styles[state] ?? writing;
  const name = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
  return (
    <details
      data-tool={name}
      data-state={state}
      className="group overflow-hidden rounded-lg border border-line bg-panel"
    >
      <summary className="flex min-h-9 list-none items-center gap-2 px-2.5 hover:bg-hover focus-visible:-outline-offset-2 narrow:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3.5 shrink-0 text-ink-3 group-open:rotate-90" />
        <span className="shrink-0 font-mono text-sm font-medium">{name}</span>
        <span className="min-w-0 flex-1 truncate text-sm text-ink-2">{inOneLine(input)}</span>
        <span className={clsx('flex shrink-0 items-center gap-1 text-sm', color)}>
          <Icon aria-hidden className={clsx('size-3.5', state === 'running' && 'animate-spin')} />
          {words}
        </span>
      </summary>
      <dl className="grid gap-2 border-t border-line bg-raised px-3 py-2.5 text-sm">
        <dt className="text-ink-3">
          {edited === undefined ? 'Arguments' : 'Arguments, as you changed them'}
        </dt>
        <Json value={input} />
        {part.state === 'output-available' && (
          <>
            <dt className="text-ink-3">Result</dt>
            <Json value={part.output} />
          </>
        )}
      </dl>
      {part.state === 'output-error' && <p className="px-3 py-2 text-sm text-ink-2">{part.errorText}</p>}
    </details>
  );
}

function Json({ value }: { value: unknown }) {
  return (
    <dd className="font-mono wrap-anywhere whitespace-pre-wrap">
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </dd>
  );
}

function inOneLine(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  return Object.values(input)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' · ');
}
