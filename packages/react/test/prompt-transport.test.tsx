import { useChat } from '@ai-sdk/react';
import { definePrompt } from '@cueline/core';
import { PromptTransport, type PromptTransportOptions } from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedModel } from '@cueline/core/testing';
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { StrictMode, useState, type ReactElement, type ReactNode } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import * as z from 'zod';
import { mount, watchConsole } from './support/mount.tsx';

let paid: number[] = [];
beforeEach(() => {
  paid = [];
});

const clerk = definePrompt('clerk', (prompt) => {
  prompt.defTool('weather', 'Weather', z.object({ city: z.string() }), ({ city }) => `${city}: clear`);
  prompt.defTool(
    'pay',
    'Pays',
    z.object({ amount: z.number() }),
    ({ amount }) => {
      paid.push(amount);
      return `paid ${amount}`;
    },
    { needsApproval: true },
  );
});

type ChatProps = { id: string; resume?: boolean } & PromptTransportOptions;

/** A chat as the AI SDK's documentation writes it, with a transport that is made at each render. */
function Chat({ id, resume = false, ...options }: ChatProps): ReactElement {
  const transport = new PromptTransport(clerk, options);
  const chat = useChat({
    id,
    resume,
    transport,
    messages: transport.messages(id),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <>
      <p data-testid="status">{chat.status}</p>
      <p data-testid="error">{chat.error?.message}</p>
      <p data-testid="messages">
        {chat.messages.map((message) => `${message.role}: ${said(message)}`).join(' | ')}
      </p>
      <button onClick={() => void chat.sendMessage({ text: 'Go.' })}>Send</button>
      <button onClick={() => void chat.stop()}>Stop</button>
      <button onClick={() => void chat.regenerate()}>Again</button>
      {chat.messages.flatMap(({ parts }) =>
        parts.map((part) =>
          'approval' in part && part.state === 'approval-requested' ? (
            <Answers key={part.approval.id} answer={(approved) => answer(chat, part.approval.id, approved)} />
          ) : undefined,
        ),
      )}
    </>
  );
}

function answer(chat: ReturnType<typeof useChat>, id: string, approved: boolean): void {
  void chat.addToolApprovalResponse({ id, approved });
}

function Answers({ answer }: { answer: (approved: boolean) => void }): ReactElement {
  return (
    <>
      <button onClick={() => answer(true)}>Approve</button>
      <button onClick={() => answer(false)}>Refuse</button>
    </>
  );
}

/** A message in words: its text, and how its calls stand. */
function said({ parts }: UIMessage): string {
  return parts
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return 'toolCallId' in part ? [`(${part.type} ${part.state})`] : [];
    })
    .join(' ');
}

/** Shows its children until they are hidden. */
function Page({ children }: { children: ReactNode }): ReactElement {
  const [shown, setShown] = useState(true);
  return (
    <>
      <button onClick={() => setShown(!shown)}>Turn</button>
      {shown && children}
    </>
  );
}

const click = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

test('a chat shows text, tool calls, a second turn and a regenerated answer in StrictMode', async () => {
  const complaints = watchConsole();
  const model = scriptedModel([
    [{ toolCall: { name: 'weather', input: { city: 'Porto' } } }],
    'Clear.',
    'Still clear.',
    'Clear as ever.',
  ]);
  const shown = mount(
    <StrictMode>
      <Chat id="turns" model={model} />
    </StrictMode>,
  );
  await click('Send');
  const first = 'user: Go. | assistant: (tool-weather output-available) Clear.';
  await expect.poll(() => shown.text('messages')).toBe(first);
  await expect.poll(() => shown.text('status')).toBe('ready');
  await click('Send');
  await expect.poll(() => shown.text('messages')).toBe(`${first} | user: Go. | assistant: Still clear.`);
  await expect.poll(() => shown.text('status')).toBe('ready');
  await click('Again');
  await expect.poll(() => shown.text('messages')).toBe(`${first} | user: Go. | assistant: Clear as ever.`);
  await expect.poll(() => shown.text('status')).toBe('ready');
  expect(model.calls).toHaveLength(4);
  expect(complaints).not.toHaveBeenCalled();
});

test('stop ends the run and keeps its text', async () => {
  const model = scriptedModel([[{ text: 'One' }, { delay: 5_000 }, { text: 'two' }]]);
  const shown = mount(<Chat id="stop" model={model} />);
  await click('Send');
  await expect.poll(() => shown.text('messages')).toBe('user: Go. | assistant: One');
  expect(shown.text('status')).toBe('streaming');
  await click('Stop');
  await expect.poll(() => shown.text('status')).toBe('ready');
  expect(shown.text('messages')).toBe('user: Go. | assistant: One');
  await expect.poll(() => model.calls[0]?.abortSignal?.aborted).toBe(true);
});

test('an error is shown with our message', async () => {
  const shown = mount(<Chat id="error" model="simulated:nobody" />);
  await click('Send');
  await expect.poll(() => shown.text('status')).toBe('error');
  expect(shown.text('error')).toMatch(/simulated/);
  expect(shown.text('messages')).toBe('user: Go.');
});

test.each([true, false])('a call waits for its approval; approved: %s', async (approved) => {
  const model = scriptedModel([[{ toolCall: { name: 'pay', input: { amount: 50 } } }], 'So be it.']);
  const shown = mount(
    <StrictMode>
      <Chat id={`approved ${approved}`} model={model} />
    </StrictMode>,
  );
  await click('Send');
  await expect
    .poll(() => shown.text('messages'))
    .toBe('user: Go. | assistant: (tool-pay approval-requested)');
  await expect.poll(() => shown.text('status')).toBe('ready');
  expect(paid).toEqual([]);
  await click(approved ? 'Approve' : 'Refuse');
  const state = approved ? 'output-available' : 'output-denied';
  await expect
    .poll(() => shown.text('messages'))
    .toBe(`user: Go. | assistant: (tool-pay ${state}) So be it.`);
  await expect.poll(() => shown.text('status')).toBe('ready');
  expect(paid).toEqual(approved ? [50] : []);
  expect(model.calls).toHaveLength(2);
});

/** A model that answers "One", and " two." only after `goOn()`. */
function pausingModel(): { model: ScriptedModel; goOn: () => void } {
  const scripted = scriptedModel([[{ text: 'One' }, { text: ' two.' }]]);
  let goOn = (): void => {};
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const doStream: ScriptedModel['doStream'] = async (call) => {
    const { stream } = await scripted.doStream(call);
    type Part = typeof stream extends ReadableStream<infer Value> ? Value : never;
    const pause = new TransformStream<Part, Part>({
      async transform(part, controller) {
        if (part.type === 'text-end') await paused;
        controller.enqueue(part);
      },
    });
    return { stream: stream.pipeThrough(pause) };
  };
  return { model: { ...scripted, doStream }, goOn };
}

test('a detached run outlives its component, and the next component shows all of it', async () => {
  const { model, goOn } = pausingModel();
  const shown = mount(
    <StrictMode>
      <Page>
        <Chat id="outlives" model={model} onAbort="detach" resume />
      </Page>
    </StrictMode>,
  );
  await click('Send');
  await expect.poll(() => shown.text('messages')).toBe('user: Go. | assistant: One');
  await click('Turn');
  await expect.poll(() => shown.text('messages')).toBe(undefined);
  await click('Turn');
  await expect.poll(() => shown.text('messages')).toBe('user: Go. | assistant: One');
  goOn();
  await expect.poll(() => shown.text('messages')).toBe('user: Go. | assistant: One  two.');
  await expect.poll(() => shown.text('status')).toBe('ready');
  expect(model.calls).toHaveLength(1);
});

test('by default the run ends with its component', async () => {
  const model = scriptedModel([[{ text: 'One' }, { delay: 10_000 }, { text: ' two.' }]]);
  const shown = mount(
    <Page>
      <Chat id="ends" model={model} resume />
    </Page>,
  );
  await click('Send');
  await expect.poll(() => shown.text('messages')).toBe('user: Go. | assistant: One');
  await click('Turn');
  await expect.poll(() => model.calls[0]?.abortSignal?.aborted).toBe(true);
  await click('Turn');
  await expect.poll(() => shown.text('messages')).toBe('user: Go. | assistant: One');
  expect(shown.text('status')).toBe('ready');
});

test('an approval outlives its component, too', async () => {
  const model = scriptedModel([[{ toolCall: { name: 'pay', input: { amount: 7 } } }], 'Paid.']);
  const shown = mount(
    <StrictMode>
      <Page>
        <Chat id="asks again" model={model} resume />
      </Page>
    </StrictMode>,
  );
  await click('Send');
  await expect.poll(() => shown.text('messages')).toContain('approval-requested');
  await click('Turn');
  await click('Turn');
  await click('Approve');
  await expect
    .poll(() => shown.text('messages'))
    .toBe('user: Go. | assistant: (tool-pay output-available) Paid.');
  expect(paid).toEqual([7]);
  expect(model.calls).toHaveLength(2);
});
