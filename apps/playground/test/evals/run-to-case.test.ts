// @vitest-environment happy-dom
import { runPrompt } from '@cueline/core';
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, expect, test, vi } from 'vitest';
import { RunToCase } from '../../src/evals/run-to-case.tsx';
import { sampleModel } from '../../src/model/sample-model.ts';
import { libraryOf } from '../../src/prompts/check-prompts.ts';
import { samplePrompts } from '../../src/prompts/sample-prompts.ts';
import { usePlayground } from '../../src/state/store.ts';
import { drawToasts } from '../../src/ui/toast.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const page = document.body.appendChild(document.createElement('div'));
const root = createRoot(page);
afterAll(() => act(() => root.unmount()));

test('the offer to open Evals goes once Evals is open', async () => {
  const draw = Object.assign(vi.fn(), { message: vi.fn(), dismiss: vi.fn() });
  drawToasts(draw as never);
  const { library } = libraryOf(samplePrompts[1]!)!;
  const { run } = await runPrompt(library.definePrompt('classify-feedback@1.1.0'), {
    model: sampleModel('demo', { hurried: true }),
    input: { TEXT: 'A dirty bath.' },
  } as never);
  await run.finished;
  usePlayground.setState({ view: 'prompts', promptSession: { run, earlier: [] } as never });
  await act(async () => root.render(createElement(RunToCase)));
  await act(async () => page.querySelector('button')!.click());
  expect(draw.message).toHaveBeenCalledWith(
    expect.stringContaining('was added as a case'),
    expect.anything(),
  );
  await act(async () => usePlayground.setState({ tab: 'editor' }));
  expect(draw.dismiss).not.toHaveBeenCalled();
  await act(async () => usePlayground.setState({ view: 'evals' }));
  expect(draw.dismiss).toHaveBeenCalledWith(draw.message.mock.calls[0]![1].id);
});
