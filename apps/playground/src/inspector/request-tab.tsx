import type { StepState } from '@cueline/core';
import { memo } from 'react';
import { Data } from '../ui/data-view.tsx';
import { formatCount, plural } from '../ui/format.ts';
import { MessageList } from './message-view.tsx';
import { Nothing, Section } from './section.tsx';
import { SystemPrompt } from './system-prompt.tsx';
import { TokenSection } from './token-table.tsx';
import { ToolList } from './tool-list.tsx';

type RequestTabProps = { step: StepState; simulated: boolean };

/** The request of a step: what the model was sent. */
export const RequestTab = memo(function RequestTab({ step, simulated }: RequestTabProps) {
  const { request } = step;
  const { instructions, messages, tools, settings } = request;
  const count = Object.keys(settings).length;
  return (
    <>
      <TokenSection step={step} simulated={simulated} />
      <Section title="System prompt" hint={plural(instructions.length, 'character')}>
        <SystemPrompt request={request} />
      </Section>
      <Section title="Messages" hint={formatCount(messages.length)}>
        <MessageList messages={messages} />
      </Section>
      <Section title="Tools" hint={formatCount(tools.length)}>
        <ToolList tools={tools} />
      </Section>
      <Section title="Settings" hint={formatCount(count)} open={count > 0}>
        {count === 0 ? (
          <Nothing>No settings: those of the provider apply.</Nothing>
        ) : (
          <Data value={settings} />
        )}
      </Section>
    </>
  );
});
