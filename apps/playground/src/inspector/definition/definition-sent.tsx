import { useMemo } from 'react';
import type { NamedKind } from '../../request/definition-name.tsx';
import { statesOf, type ShownRun } from '../../state/shown-run.ts';
import { plural } from '../../ui/format.ts';
import { usesOfDefinition } from './definition-uses.ts';
import { PagedSection } from './paged-section.tsx';
import { sentStepKey } from './prompt-steps.ts';
import { StepRow } from './step-row.tsx';

type DefinitionSentProps = { shown: ShownRun; kind: NamedKind; name: string; agent: string | undefined };

/** The steps whose requests have a definition, with its tokens in each. */
export function DefinitionSent({ shown, kind, name, agent }: DefinitionSentProps) {
  const { state, earlier } = shown;
  const { steps, agents } = state;
  const uses = useMemo(
    () => usesOfDefinition(kind, name, statesOf(shown), agent),
    // a request does not change after its step's start
    // oxlint-disable-next-line react/exhaustive-deps
    [kind, name, agent, earlier, steps.length, agents],
  );
  return (
    <PagedSection
      title="Sent in"
      hint={`${plural(uses.length, 'step')}, tokens estimated`}
      empty="No request contains it at this moment."
      noun="steps"
      rows={uses}
      keyOf={sentStepKey}
    >
      {(use) => (
        <StepRow {...use} shown={shown}>
          {use.changed && <span className="text-warn">changed · </span>}
          {plural(use.tokens, 'token')}
        </StepRow>
      )}
    </PagedSection>
  );
}
