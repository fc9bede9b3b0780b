import { scriptedModel } from '@cueline/core/testing';
import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  farExecutor,
  finishedLog,
  serverHtml,
  ServerPage,
  unfinishedLog,
  type ServerPageProps,
} from './server-page.tsx';
import { settle, watchConsole } from './support/mount.tsx';

type Seen = NonNullable<ServerPageProps['seen']>;

/** Takes over what a server has rendered. Returns the page, and what React had to complain of. */
function hydrate(html: string, props: ServerPageProps): { container: HTMLElement; faults: unknown[] } {
  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = html;
  const faults: unknown[] = [];
  const complaints = watchConsole();
  complaints.mockImplementation((...said: unknown[]) => void faults.push(said));
  const page = (
    <StrictMode>
      <ServerPage {...props} />
    </StrictMode>
  );
  const root = hydrateRoot(container, page, { onRecoverableError: (error) => faults.push(error) });
  onTestFinished(() => {
    root.unmount();
    container.remove();
  });
  return { container, faults };
}

for (const id of [undefined, 'greeting']) {
  const whose = id === undefined ? 'its component’s own' : 'shared by id';

  test(`a finished run from the server, ${whose}, is taken over and continues`, async () => {
    const seen = vi.fn<Seen>();
    const model = scriptedModel(['Fine.']);
    const { container, faults } = hydrate(serverHtml.finished, {
      initialLog: finishedLog,
      model,
      seen,
      ...(id === undefined ? {} : { id }),
    });
    await settle();
    expect(container.innerHTML).toBe(serverHtml.finished);
    await expect(seen.mock.lastCall![0].send('How are you?')).resolves.toBe('Fine.');
    await expect.poll(() => container.innerHTML).toBe('<p>done: Fine.</p>');
    expect(model.calls[0]?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(faults).toEqual([]);
  });

  test(`an unfinished run from the server, ${whose}, that no longer exists is interrupted`, async () => {
    const seen = vi.fn<Seen>();
    const { container, faults } = hydrate(serverHtml.unfinished, {
      initialLog: unfinishedLog,
      model: scriptedModel(['Hi.']),
      seen,
      ...(id === undefined ? {} : { id }),
    });
    await expect.poll(() => container.innerHTML).toBe('<p>interrupted: Hello</p>');
    expect(seen.mock.calls[0]?.[0]).toMatchObject({ status: 'running', text: 'Hello' });
    expect(faults).toEqual([]);
    await expect(seen.mock.lastCall![0].retry()).resolves.toBe('Hi.');
  });

  test(`an unfinished run from the server, ${whose}, is attached where it continues`, async () => {
    const { executor, attached } = farExecutor();
    const { container, faults } = hydrate(serverHtml.unfinished, {
      initialLog: unfinishedLog,
      executor,
      ...(id === undefined ? {} : { id }),
    });
    await expect.poll(() => container.innerHTML).toBe(serverHtml.finished);
    expect(attached).toEqual([['far', 3]]);
    expect(faults).toEqual([]);
  });
}
