import { useRun } from '@cueline/react';
import { useMemo } from 'react';
import { isSameJson } from '../input/same-json.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { visibleText } from '../ui/visible-text.ts';
import { promptOf } from './definition-of.ts';
import type { EditablePrompt } from './editable-prompt.ts';
import { entryOf, usePrompts } from './store.ts';

/** Says that the prompt in the form is not the one that ran: it was edited since, or it is another version. */
export function RanPromptNote() {
  const session = usePlayground((state) => state.promptSession);
  return session !== undefined && 'prompts' in session.source ? (
    <Note session={session} prompts={session.source.prompts} />
  ) : null;
}

function Note({ session: { run, earlier }, prompts }: { session: RunSession; prompts: unknown }) {
  const { prompt } = usePrompts(entryOf);
  // the first event says which version ran
  const { status } = useRun(run);
  const ran = useMemo(
    () => (status === 'idle' ? undefined : promptOf(prompts, earlier[0]?.log ?? run.log())),
    [prompts, earlier, run, status],
  );
  const note = ran && changeSince(ran, prompt);
  return note === undefined ? null : (
    <p
      data-testid="ran-prompt"
      className="shrink-0 border-b border-line bg-raised px-4 py-2 text-sm wrap-anywhere text-ink-2"
    >
      {visibleText(note)}
    </p>
  );
}

/** How the prompt differs from the one that ran; undefined if a run would send the same texts. */
export function changeSince(ran: EditablePrompt, prompt: EditablePrompt): string | undefined {
  if (ran.id !== prompt.id || ran.version !== prompt.version)
    return `This run is of ${ran.id} ${ran.version}.`;
  return isSameJson(sentBy(ran), sentBy(prompt)) ? undefined : 'The prompt has changed since this run.';
}

function sentBy({
  systemPrompt,
  userPrompt,
  systemPromptParameters,
  userPromptParameters,
}: EditablePrompt): Partial<EditablePrompt> {
  return { systemPrompt, userPrompt, systemPromptParameters, userPromptParameters };
}
