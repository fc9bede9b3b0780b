import type { ApprovalState, ClientToolCallState, Run } from '@cueline/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ApprovalCard } from '../../src/approval/approval-card.tsx';
import { ClientToolCard } from '../../src/approval/client-tool-card.tsx';

const props = {
  run: {} as Run,
  approval: { approvalId: 'r1', toolName: 'look', input: {} } as ApprovalState,
  call: { clientCallId: 'r1', toolName: 'look', input: {} } as ClientToolCallState,
  agent: undefined,
  draft: undefined,
  place: 1,
  total: 2,
};

test.each([
  ['approval', ApprovalCard],
  ['client-tool', ClientToolCard],
] as const)(
  'the card of %s has its own name, its place, and buttons that take no click as it appears',
  (name, Card) => {
    const html = renderToStaticMarkup(createElement(Card as typeof ApprovalCard, props));
    expect(html.match(/data-testid="[^"]*"/g)).toEqual([`data-testid="${name}"`]);
    expect(html).toContain('1 of 2');
    // both that answer; what only edits answers nothing
    expect(html.match(/aria-disabled="true"/g)).toHaveLength(2);
  },
);
