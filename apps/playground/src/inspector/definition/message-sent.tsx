import { useMemo } from 'react';
import { messageText } from '../../request/message-parts.ts';
import { MessageView } from '../../request/message-view.tsx';
import { statesOf, type ShownRun } from '../../state/shown-run.ts';
import { plural } from '../../ui/format.ts';
import { TextDiff } from '../../ui/text-diff.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { usesOfMessage, type MessageUse } from './message-uses.ts';
import { PagedSection } from './paged-section.tsx';
import { sentStepKey } from './prompt-steps.ts';
import { StepRow } from './step-row.tsx';

/** Longer messages are not compared, in characters. */
const MAX_COMPARED_LENGTH = 20_000;

type MessageSentProps = { shown: ShownRun; index: number; agent: string | undefined };

/**
 * A message of the script in each request: its full text where it is first sent, and the differences where it changed.
 */
export function MessageSent({ shown, index, agent }: MessageSentProps) {
  const { state, earlier } = shown;
  const { steps, agents } = state;
  const uses = useMemo(
    () => usesOfMessage(index, statesOf(shown), agent),
    // a request does not change after its step's start
    // oxlint-disable-next-line react/exhaustive-deps
    [index, agent, earlier, steps.length, agents],
  );
  return (
    <PagedSection
      title="Sent in"
      hint={plural(uses.length, 'step')}
      empty="No request contains it at this moment."
      noun="steps"
      rows={uses}
      keyOf={sentStepKey}
    >
      {(use) => (
        <>
          <StepRow {...use} shown={shown}>
            {use.before !== undefined ? <span className="text-warn">changed</span> : !use.isNew && 'the same'}
          </StepRow>
          {use.isNew && <Text use={use} />}
        </>
      )}
    </PagedSection>
  );
}

function Text({ use: { message, before } }: { use: MessageUse }) {
  if (before === undefined) return <MessageView message={message} />;
  const [old, now] = [messageText(before), messageText(message)];
  if (old.length > MAX_COMPARED_LENGTH || now.length > MAX_COMPARED_LENGTH)
    return <MessageView message={message} />;
  return (
    <p className="rounded-lg border border-line px-2.5 py-1.5 wrap-anywhere whitespace-pre-wrap">
      <TextDiff before={visibleText(old)} after={visibleText(now)} folds />
    </p>
  );
}
