// @vitest-environment happy-dom
import type { AgentState } from '@cueline/core';
import { act, createElement } from 'react';
import { expect, test } from 'vitest';
import { AgentCard } from '../../src/transcript/agent-card.tsx';
import { openRoot } from '../drawn.ts';
import { begun, start, stateOf } from './run-events.ts';

const { page, draw: drawCard } = openRoot();

const [working] = stateOf([start, ...begun('a', 'poet')]).agents;
const call = { toolCallId: 'c', toolName: 'poet', input: {}, state: 'running' } as never;
const draw = (status: AgentState['status']): void => {
  const agent = { ...working!, status } as AgentState;
  const children = () => createElement('input', { 'aria-label': 'New task' });
  const props = { agent, call, clock: undefined, children };
  drawCard(createElement(AgentCard, props));
};
const field = () => page.querySelector<HTMLInputElement>('input');

test('the card of an agent that ends closes, unless the user works in it', () => {
  // a card that the user has not worked in yet
  drawCard(null);
  draw('running');
  expect(field()).not.toBeNull();
  draw('done');
  expect(field()).toBeNull();
  draw('running');
  act(() => field()!.focus());
  const typedIn = field();
  draw('done');
  expect(field()).toBe(typedIn);
  expect(document.activeElement).toBe(typedIn);
});
