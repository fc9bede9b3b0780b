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
  'the %s card shows its name and its position, and its buttons ignore clicks when it appears',
  (name, Card) => {
    const html = renderToStaticMarkup(createElement(Card as typeof ApprovalCard, props));
    expect(html.match(/data-testid="[^"]*"/g)).toEqual([`data-testid="${name}"`]);
    expect(html).toContain('1 of 2');
    // only the two buttons that send a response, not those that edit
    expect(html.match(/aria-disabled="true"/g)).toHaveLength(2);
  },
);
