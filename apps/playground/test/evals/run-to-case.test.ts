// @vitest-environment happy-dom
import { runPrompt } from '@cueline/core';
import { act, createElement } from 'react';
import { expect, test, vi } from 'vitest';
import { RunToCase } from '../../src/evals/run-to-case.tsx';
import { sampleModel } from '../../src/model/sample-model.ts';
import { libraryOf } from '../../src/prompts/check-prompts.ts';
import { samplePrompts } from '../../src/prompts/sample-prompts.ts';
import { usePlayground } from '../../src/state/store.ts';
import { drawToasts } from '../../src/ui/toast.ts';
import { openRoot } from '../drawn.ts';

const { page, draw } = openRoot();

test('the offer to open Evals goes once Evals is open', async () => {
  const toasts = Object.assign(vi.fn(), { message: vi.fn(), dismiss: vi.fn() });
  drawToasts(toasts as never);
  const { library } = libraryOf(samplePrompts[1]!)!;
  const { run } = await runPrompt(library.definePrompt('classify-feedback@1.1.0'), {
    model: sampleModel('demo', { hurried: true }),
    input: { TEXT: 'A dirty bath.' },
  } as never);
  await run.finished;
  usePlayground.setState({ view: 'prompts', promptSession: { run, earlier: [] } as never });
  draw(createElement(RunToCase));
  await act(async () => page.querySelector('button')!.click());
  expect(toasts.message).toHaveBeenCalledWith(
    expect.stringContaining('was added as a case'),
    expect.anything(),
  );
  await act(async () => usePlayground.setState({ tab: 'editor' }));
  expect(toasts.dismiss).not.toHaveBeenCalled();
  await act(async () => usePlayground.setState({ view: 'evals' }));
  expect(toasts.dismiss).toHaveBeenCalledWith(toasts.message.mock.calls[0]![1].id);
});
