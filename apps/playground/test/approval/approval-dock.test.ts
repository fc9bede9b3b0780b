// @vitest-environment happy-dom
import type { Run } from '@cueline/core';
import { act, createElement } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApprovalDock } from '../../src/approval/approval-dock.tsx';
import { focusApproval } from '../../src/approval/focus-approval.ts';
import { useInspection } from '../../src/state/inspection.ts';
import { enter, openRoot } from '../drawn.ts';
import { called, start, stateOf } from '../transcript/run-events.ts';

const state = stateOf([
  start,
  { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
  ...called('c1', 'send', { to: 'Ada' }),
  { type: 'approval-request', approvalId: 'r1', toolCallId: 'c1', toolName: 'send', input: { to: 'Ada' } },
]);
const { page, draw: drawNode } = openRoot();
let run: Run;
const draw = (hidden: boolean): void =>
  drawNode(createElement(ApprovalDock, { run, state, hidden, onAnswered: () => {} }));
const buttons = (): HTMLButtonElement[] => [...page.querySelectorAll('button')];
const press = (name: string): void =>
  act(() =>
    buttons()
      .find(({ textContent }) => textContent === name)!
      .click(),
  );
const dock = (): Element => page.firstElementChild!;
const refuse = (): HTMLButtonElement => buttons().find(({ textContent }) => textContent === 'Refuse')!;

beforeEach(() => {
  run = { respondToApproval: async () => ({ accepted: true }) } as unknown as Run;
});
afterEach(() => drawNode(null));

test('what the user has written stays while an earlier moment is shown, and is hidden', () => {
  draw(false);
  press('Edit');
  const reason = page.querySelector<HTMLInputElement>('[aria-label="Reason for refusing"]')!;
  enter(reason, 'Not Ada');
  draw(true);
  expect(dock().className.split(' ')).toContain('hidden');
  draw(false);
  expect(dock().className.split(' ')).not.toContain('hidden');
  expect(page.querySelector('[aria-label="Reason for refusing"]')).toBe(reason);
  expect(reason.value).toBe('Not Ada');
  expect(page.querySelector('form textarea')).not.toBeNull();
});

test('a card that is shown again takes the focus, and ignores clicks for a moment', async () => {
  draw(true);
  expect(document.activeElement).toBe(document.body);
  draw(false);
  expect(document.activeElement).toBe(page.querySelector('[data-pending]'));
  expect(refuse().getAttribute('aria-disabled')).toBe('true');
  await act(() => new Promise((resolve) => setTimeout(resolve, 450)));
  expect(refuse().getAttribute('aria-disabled')).toBe('false');
  draw(true);
  await act(() => new Promise((resolve) => setTimeout(resolve, 5)));
  draw(false);
  expect(refuse().getAttribute('aria-disabled')).toBe('true');
});

test('a form whose changes are undone by hand approves the call as it is', async () => {
  const responses: unknown[] = [];
  const respondToApproval: Run['respondToApproval'] = async (_id, response) => {
    responses.push(response);
    return { accepted: true };
  };
  run = { respondToApproval } as Run;
  draw(false);
  press('Edit');
  const names = (): (string | null)[] => buttons().map(({ textContent }) => textContent);
  const to = page.querySelector<HTMLTextAreaElement>('form textarea')!;
  enter(to, 'Grace');
  expect(names()).toContain('Approve with changes');
  enter(to, 'Ada');
  await act(async () => buttons()[names().indexOf('Approve')]!.click());
  expect(responses).toEqual([{ approved: true }]);
});

const reasonField = () => page.querySelector<HTMLInputElement>('[aria-label="Reason for refusing"]')!;
const firstArgument = () => page.querySelector<HTMLTextAreaElement>('form textarea');

test('what the user has written stays while the dock is not drawn, until the call is answered', async () => {
  draw(false);
  press('Edit');
  enter(firstArgument()!, 'Grace');
  enter(reasonField(), 'Not Ada');
  drawNode(null);
  draw(false);
  expect(firstArgument()?.value).toBe('Grace');
  expect(reasonField().value).toBe('Not Ada');
  expect(buttons().map(({ textContent }) => textContent)).toContain('Approve with changes');
  await act(async () => {
    buttons()
      .find(({ textContent }) => textContent === 'Approve with changes')!
      .click();
  });
  drawNode(null);
  draw(false);
  expect(firstArgument()).toBeNull();
  expect(reasonField().value).toBe('');
});

test('a card that is drawn again does not take the focus from a field', () => {
  const reply = document.body.appendChild(document.createElement('textarea'));
  draw(false);
  press('Edit');
  drawNode(null);
  reply.focus();
  draw(false);
  expect(document.activeElement).toBe(reply);
  reply.remove();
});

test('the shortcut of the waiting card leaves an earlier moment that hides the card', () => {
  useInspection.getState().goTo({ turn: 0, seq: 1 });
  draw(true);
  act(() => focusApproval());
  expect(useInspection.getState().moment).toBeUndefined();
  draw(false);
  expect(document.activeElement).toBe(page.querySelector('[data-pending]'));
});
