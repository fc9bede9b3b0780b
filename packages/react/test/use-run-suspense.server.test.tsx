import { definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createRunRegistry, PromptProvider, usePrompt, useRunSuspense } from '@cueline/react';
import { Suspense, type ReactElement } from 'react';
import { renderToPipeableStream, renderToReadableStream } from 'react-dom/server';
import { expect, test } from 'vitest';

const greet = definePrompt('greet', (prompt) => {
  prompt.$`Greet Ada.`;
});

function Answer(): ReactElement {
  const { run } = usePrompt(greet, { id: 'greeting', watch: false });
  const { result } = useRunSuspense(run, 'done');
  return <p>{result}</p>;
}

/** A page whose run the server has started before it renders. */
function startedPage(): ReactElement {
  const registry = createRunRegistry();
  const model = scriptedModel([[{ delay: 50 }, 'Hello, Ada.']]);
  void registry.open('greeting', greet, { model }).start();
  return (
    <PromptProvider registry={registry}>
      <Suspense fallback={<p>…</p>}>
        <Answer />
      </Suspense>
    </PromptProvider>
  );
}

test('renderToPipeableStream sends the answer when it is ready', async () => {
  const html = await new Promise<string>((resolve, reject) => {
    const decoder = new TextDecoder();
    let sent = '';
    // what React needs of one of Node's streams
    const destination = {
      write: (chunk: string | Uint8Array) => {
        sent += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
        return true;
      },
      end: () => resolve(sent),
      on: () => destination,
      destroy: reject,
    };
    const { pipe } = renderToPipeableStream(startedPage(), {
      onShellReady: () => void pipe(destination as unknown as Parameters<typeof pipe>[0]),
      onError: reject,
    });
  });
  expect(html).toContain('<p>Hello, Ada.</p>');
});

test('renderToReadableStream can wait for the answer', async () => {
  const stream = await renderToReadableStream(startedPage());
  await stream.allReady;
  expect(await new Response(stream).text()).toContain('<p>Hello, Ada.</p>');
});
