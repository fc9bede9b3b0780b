import type { PromptDefinition } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import { clsx } from 'clsx';
import { ExecutorSelect } from './executor-select.tsx';
import { pageServer } from './page-server.ts';
import { guestDesk, prepareArrival, readBooking } from './remote-prompts.ts';
import { pages, type PageName } from './route.ts';
import type { ExecutorName } from './run-executors.ts';

export function TopBar({ page, executor }: { page: PageName; executor: ExecutorName }) {
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-4 border-b border-line bg-panel px-4 narrow:px-3">
      <h1 className="flex items-center gap-2 text-lg font-semibold tracking-tight narrow:sr-only">
        <Mark />
        Cueline <span className="font-normal text-ink-2">in React</span>
      </h1>
      <nav
        // runs of the same id are different runs elsewhere
        key={executor}
        aria-label="Pages"
        className="flex h-12 items-stretch gap-1 narrow:w-full"
      >
        <PageLink to="chat" isCurrent={page === 'chat'} definition={guestDesk} />
        <PageLink to="tasks" isCurrent={page === 'tasks'} definition={prepareArrival} />
        <PageLink to="form" isCurrent={page === 'form'} definition={readBooking} />
      </nav>
      <div className="ml-auto flex flex-wrap items-center justify-center gap-x-4 gap-y-1.5 py-1.5 narrow:order-first narrow:ml-0 narrow:w-full narrow:pb-0">
        <p className="text-sm text-ink-2">
          <WhoAnswers executor={executor} />
        </p>
        {pageServer !== undefined && <ExecutorSelect executor={executor} />}
      </div>
    </header>
  );
}

function WhoAnswers({ executor }: { executor: ExecutorName }) {
  const asked = executor === 'page' ? undefined : pageServer;
  if (asked?.isSimulated === false) return `${asked.model} answers.`;
  return (
    <>
      The answers are <strong className="font-semibold text-warn">simulated</strong>
      {asked === undefined ? ': no model is called.' : ', by a simulated OpenAI server.'}
    </>
  );
}

type PageLinkProps<Input> = { to: PageName; isCurrent: boolean; definition: PromptDefinition<Input> };

/** Shows that a run continues while its page is not open. Renders only for the status. */
function PageLink<Input>({ to, isCurrent, definition }: PageLinkProps<Input>) {
  const { status } = usePrompt(definition, { id: to, watch: ['status'] });
  return (
    <a
      href={`#/${to}`}
      aria-current={isCurrent ? 'page' : undefined}
      className={clsx(
        'flex items-center gap-2 rounded-t border-b-2 px-3 focus-visible:-outline-offset-2 narrow:flex-1 narrow:justify-center',
        isCurrent ? 'border-go font-medium text-ink' : 'border-transparent text-ink-2 hover:text-ink',
      )}
    >
      {pages[to]}
      <span className={clsx('size-1.5 rounded-full', colorOf(status))}>
        {status === 'running' && <span className="sr-only">(in progress)</span>}
        {status === 'waiting' && <span className="sr-only">(waits for you)</span>}
      </span>
    </a>
  );
}

function colorOf(status: string): string {
  if (status === 'running') return 'bg-go';
  return status === 'waiting' ? 'bg-warn' : 'bg-transparent';
}

function Mark() {
  return (
    <svg viewBox="0 0 20 20" width={20} height={20} aria-hidden className="shrink-0">
      <path
        d="M2.5 5.5h9M2.5 10h5.5M2.5 14.5h9"
        stroke="var(--ink-2)"
        strokeWidth="2"
        strokeLinecap="round"
        fill="none"
      />
      <circle cx="15" cy="10" r="3.5" fill="var(--go)" />
    </svg>
  );
}
