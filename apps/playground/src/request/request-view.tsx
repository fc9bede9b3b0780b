import type { CompiledRequest } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import { useMemo, type ReactNode } from 'react';
import { formatCount, plural, summarize } from '../ui/format.ts';
import { JsonView } from '../ui/json-view.tsx';
import { MessageView } from './message-view.tsx';
import { partsOf } from './system-parts.ts';
import { TokenTable } from './token-table.tsx';

/** How many messages and tools are drawn. */
const MOST_ROWS = 200;

/** A request with what makes it up, and the estimated tokens of each part. */
export function RequestView({ request }: { request: CompiledRequest }) {
  const tokens = useMemo(() => estimateTokens(request), [request]);
  const { instructions, messages, tools, settings } = request;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <TokenTable tokens={tokens} />
      <Section title="System prompt" empty={instructions === '' && 'This request has no system prompt.'}>
        <SystemPrompt request={request} />
      </Section>
      <Section title="Messages" count={messages.length} empty={messages.length === 0 && 'No messages.'}>
        {messages.slice(0, MOST_ROWS).map((message, index) => (
          <MessageView key={index} message={message} />
        ))}
        <Rest count={messages.length} noun="message" />
      </Section>
      <Section
        title="Tools"
        count={tools.length}
        empty={tools.length === 0 && 'This request offers no tools.'}
      >
        {tools.slice(0, MOST_ROWS).map(({ name, description, inputSchema }) => (
          <details key={name} className="rounded-lg border border-line bg-panel">
            <summary className="flex min-h-8 items-baseline gap-2 px-3 py-1.5 narrow:min-h-11">
              <span className="shrink-0 font-mono text-sm font-medium text-tool">{name}</span>
              <span className="min-w-0 truncate text-ink-2">{description}</span>
            </summary>
            <div className="border-t border-line px-3 py-2">
              {description !== undefined && <p className="mb-2 text-ink-2 wrap-anywhere">{description}</p>}
              <JsonView value={inputSchema} />
            </div>
          </details>
        ))}
        <Rest count={tools.length} noun="tool" />
      </Section>
      {Object.keys(settings).length > 0 && (
        <Section title="Settings">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 rounded-lg border border-line bg-panel px-3 py-2">
            {Object.entries(settings).map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-ink-2">{name}</dt>
                <dd className="font-mono text-sm leading-[20px] wrap-anywhere">
                  {typeof value === 'object' ? JSON.stringify(value) : summarize(value, 200)}
                </dd>
              </div>
            ))}
          </dl>
        </Section>
      )}
    </div>
  );
}

type SectionProps = { title: string; count?: number; empty?: string | false; children: ReactNode };

function Section({ title, count, empty = false, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 text-sm font-medium text-ink-2">
        {title}
        {count !== undefined && count > 0 && <span className="font-normal text-ink-3"> · {count}</span>}
      </h3>
      {empty === false ? (
        <div className="grid gap-1.5">{children}</div>
      ) : (
        <p className="text-ink-3">{empty}</p>
      )}
    </section>
  );
}

function Rest({ count, noun }: { count: number; noun: string }) {
  if (count <= MOST_ROWS) return null;
  return <p className="text-ink-3">{plural(count - MOST_ROWS, noun)} more are not shown here.</p>;
}

/** The system prompt, in the parts that its definitions make. */
function SystemPrompt({ request }: { request: CompiledRequest }) {
  const parts = useMemo(() => partsOf(request), [request]);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-panel">
      {parts.map(({ kind, name, text, tokens }, index) => (
        <div
          key={index}
          data-kind={kind}
          className="border-l-2 border-transparent px-3 py-2 not-first:border-t not-first:border-t-line data-[kind=system]:border-l-thinking data-[kind=variable]:border-l-text-kind"
        >
          {name !== undefined && (
            <p className="mb-0.5 flex gap-2 text-xs text-ink-3">
              <span className="min-w-0 flex-1 truncate">
                <span className="font-mono text-ink-2">{name}</span> · {kindLabels[kind]}
              </span>
              <span>{formatCount(tokens)} tokens</span>
            </p>
          )}
          <JsonView value={text} />
        </div>
      ))}
    </div>
  );
}

const kindLabels = { variable: 'variable', system: 'system part', instructions: 'text' } as const;
