import type { CompiledRequest } from '@cueline/core';
import { memo, type ReactNode } from 'react';
import { Data } from '../ui/data/data-view.tsx';
import { formatCount, plural } from '../ui/format.ts';
import { EmptyText, Section } from '../ui/section.tsx';
import { MessageList } from './message-view.tsx';
import { SystemPrompt } from './system-prompt.tsx';
import { estimateRequest } from './token-rows.ts';
import { TokenTable } from './token-table.tsx';
import { ToolList } from './tool-list.tsx';

type RequestViewProps = {
  request: CompiledRequest;
  /** Beside the title of the tokens; by default the estimated total. */
  tokens?: string | undefined;
  /** Facts above the estimated tokens, such as what the provider counted. */
  counted?: ReactNode;
};

/**
 * What a model is sent: the tokens of each definition, the system prompt with its definitions, messages, tools,
 * settings.
 */
export const RequestView = memo(function RequestView({ request, tokens, counted }: RequestViewProps) {
  const { instructions, messages, tools, settings } = request;
  const settingCount = Object.keys(settings).length;
  const estimate = estimateRequest(request);
  return (
    <>
      <Section title="Tokens" hint={tokens ?? (estimate && `about ${formatCount(estimate.total)}`)}>
        {counted}
        {estimate === undefined ? (
          <EmptyText>The tokens of this request cannot be estimated.</EmptyText>
        ) : (
          <TokenTable rows={estimate.rows} total={estimate.total} />
        )}
      </Section>
      <Section title="System prompt" hint={plural(instructions.length, 'character')}>
        <SystemPrompt request={request} />
      </Section>
      <Section title="Messages" hint={formatCount(messages.length)}>
        <MessageList messages={messages} />
      </Section>
      <Section title="Tools" hint={formatCount(tools.length)}>
        <ToolList tools={tools} />
      </Section>
      <Section title="Settings" hint={formatCount(settingCount)} open={settingCount > 0}>
        {settingCount === 0 ? (
          <EmptyText>No settings: those of the provider apply.</EmptyText>
        ) : (
          <Data value={settings} />
        )}
      </Section>
    </>
  );
});
