// @vitest-environment happy-dom
import type { ApprovalState, ClientToolCallState, Run } from '@cueline/core';
import { act, createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ApprovalCard } from '../../src/approval/approval-card.tsx';
import { ClientToolCard } from '../../src/approval/client-tool-card.tsx';
import { enter, openRoot } from '../drawn.ts';

const { page, draw } = openRoot();
const props = {
  run: {} as Run,
  approval: { approvalId: 'r1', toolName: 'look', input: {} } as ApprovalState,
  call: { clientCallId: 'r1', toolName: 'look', input: {} } as ClientToolCallState,
  agent: undefined,
  schema: undefined,
  refused: undefined,
  hidden: false,
  place: 1,
  total: 2,
};

test.each([
  ['approval', ApprovalCard],
  ['client-tool', ClientToolCard],
] as const)(
  'the %s card shows its name and its position, and its buttons ignore clicks when it appears',
  (name, Card) => {
    const html = renderToStaticMarkup(createElement(Card as typeof ApprovalCard, props));
    expect(html.match(/data-testid="[^"]*"/g)).toEqual([`data-testid="${name}"`]);
    expect(html).toContain('1 of 2');
    // only the two buttons that send a response, not those that edit
    expect(html.match(/aria-disabled="true"/g)).toHaveLength(2);
  },
);

const sends = { approvalId: 'r1', toolName: 'send', input: { to: 'Ada', text: 'Hi' } } as ApprovalState;
const rendered = (more: object): string =>
  renderToStaticMarkup(createElement(ApprovalCard, { ...props, approval: sends, ...more }));

test('refused arguments are in their fields again, with the problem beside the field', () => {
  const html = rendered({
    approval: { ...sends, reason: 'to: Invalid email address' },
    refused: { input: { to: 'ada', text: 'Hi\nAda' }, reason: 'to: Invalid email address' },
  });
  expect(html).toContain('ada</textarea>');
  expect(html).toContain('Hi\nAda</textarea>');
  expect(html).toMatch(
    /aria-invalid="true" aria-describedby="([^"]+)"[\s\S]*id="\1"[^>]*>Invalid email address\./,
  );
  expect(html).not.toContain('do not fit');
});

test('a reason that names no field stands above the fields', () => {
  const reason = 'The schema of this tool changes its arguments.';
  const html = rendered({ approval: { ...sends, reason }, refused: { input: sends.input, reason } });
  expect(html).toContain(`The arguments do not fit the tool’s schema: ${reason}`);
});

test('the reason of a first approval request is not shown as a refusal of arguments', () => {
  const html = rendered({ approval: { ...sends, reason: 'It costs money.' } });
  expect(html).toContain('It costs money.');
  expect(html).not.toContain('do not fit');
  expect(html).not.toContain('<textarea');
});

test('a call that the provider runs itself has nothing to edit', () => {
  expect(rendered({})).toContain('Edit</button>');
  expect(rendered({ approval: { ...sends, providerExecuted: true } })).not.toContain('Edit</button>');
});

test('an empty result of a client tool is refused as a result, not as arguments', () => {
  draw(createElement(ClientToolCard, props));
  enter(page.querySelector('textarea')!, '');
  act(() => [...page.querySelectorAll('button')].find((one) => one.textContent === 'Answer')!.click());
  expect(page.querySelector('[role=alert]')?.textContent).toBe(
    'This field is empty. Write JSON, such as {}.',
  );
});
