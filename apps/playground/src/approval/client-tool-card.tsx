import type { ClientToolCallState, Run } from '@cueline/core';
import { Check, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { useKeptState } from '../input/use-kept-state.ts';
import { visibleText } from '../ui/visible-text.ts';
import { ArgumentsEditor } from './arguments-editor.tsx';
import { CallArguments, PendingCard } from './pending-card.tsx';
import { readArguments } from './read-arguments.ts';
import { ResponseButton, ResponseForm } from './response-form.tsx';
import { useResponse } from './use-response.ts';

type ClientToolCardProps = {
  run: Run;
  call: ClientToolCallState;
  /** Name of the agent that made the call; missing for the run itself. */
  agent: string | undefined;
  /** True while an earlier moment of the run is shown. */
  hidden: boolean;
  /** Its position among the waiting cards, from 1. */
  place: number;
  total: number;
};

/** Asks for the result of a client tool call. An application's page would run its function; here the user answers. */
export function ClientToolCard({ run, call, agent, hidden, place, total }: ClientToolCardProps) {
  const { toolName, input } = call;
  const card = useRef<HTMLElement>(null);
  const [text, setText] = useKeptState({ run, id: call.clientCallId }, 'result', () => 'null');
  const [fault, setFault] = useState<string>();
  const responding = useResponse(run, call, hidden);
  const { respond, isSending, refusal } = responding;

  const send = (): void => {
    const read = readArguments(text);
    if ('fault' in read) return setFault(read.fault);
    setFault(undefined);
    void respond({ output: read.value });
  };
  const fail = (): void => {
    setFault(undefined);
    void respond({ error: 'The user did not answer.' });
  };

  return (
    <PendingCard
      ref={card}
      testId="client-tool"
      agent={agent}
      hidden={hidden}
      question={
        <>
          What does <bdi className="font-mono text-sm font-semibold">{visibleText(toolName)}</bdi> return?
        </>
      }
      place={place}
      total={total}
      refusal={refusal}
    >
      <CallArguments input={input} />
      <ResponseForm label="Result" onSend={() => !isSending && send()} onEscape={() => card.current?.focus()}>
        <ArgumentsEditor label="Result as JSON" text={text} fault={fault} onChange={setText} />
      </ResponseForm>
      <div className="flex shrink-0 flex-wrap items-center gap-2">
        <ResponseButton variant="primary" responding={responding} onPress={send}>
          <Check />
          Answer
        </ResponseButton>
        <ResponseButton variant="outline" responding={responding} onPress={fail}>
          <X />
          Answer with an error
        </ResponseButton>
      </div>
    </PendingCard>
  );
}
