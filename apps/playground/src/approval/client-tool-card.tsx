import type { RequestAnswer, RequestState, Run } from '@cueline/core';
import { Check, Pause, X } from 'lucide-react';
import { useId, useState } from 'react';
import { JsonView } from '../transcript/json-view.tsx';
import { Button } from '../ui/button.tsx';
import { ArgumentsEditor } from './arguments-editor.tsx';
import { readArguments } from './read-arguments.ts';

type ClientToolCardProps = {
  run: Run;
  request: RequestState;
  /** Name of the agent that made the call; missing for the run itself. */
  agent: string | undefined;
};

/** Asks for the result of a call whose function an application's page would have. The playground has none, so the user answers. */
export function ClientToolCard({ run, request, agent }: ClientToolCardProps) {
  const { requestId, toolName, input } = request;
  const title = useId();
  const [text, setText] = useState('null');
  const [fault, setFault] = useState<string>();
  const [isSending, setIsSending] = useState(false);

  const answer = async (given: RequestAnswer): Promise<void> => {
    setIsSending(true);
    const reply = await run.respond(requestId, given);
    setIsSending(false);
    if (!reply.accepted) setFault(reply.reason);
  };
  const send = (): void => {
    const read = readArguments(text);
    if ('fault' in read) return setFault(read.fault);
    void answer({ output: read.value });
  };

  return (
    <section
      role="group"
      tabIndex={-1}
      aria-labelledby={title}
      data-testid="approval"
      className="grid grid-cols-[minmax(0,1fr)] gap-2.5 rounded-lg border border-warn/45 bg-warn-soft p-3 outline-offset-2"
    >
      <h3 id={title} className="flex items-center gap-2 wrap-anywhere">
        <Pause aria-hidden className="size-3.5 shrink-0 text-warn" />
        <span>
          {agent !== undefined && <bdi className="text-ink-2">{agent}: </bdi>}
          What does <bdi className="font-mono text-sm font-semibold">{toolName}</bdi> return?
        </span>
      </h3>
      <div
        role="group"
        aria-label="Arguments"
        className="scroll max-h-[24vh] rounded-md border border-line bg-panel px-2.5 py-2"
      >
        <JsonView value={input} />
      </div>
      <ArgumentsEditor
        label="Result as JSON"
        text={text}
        fault={fault}
        onChange={setText}
        onClose={() => setText('null')}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" disabled={isSending} onClick={send}>
          <Check />
          Answer
        </Button>
        <Button
          look="outline"
          disabled={isSending}
          onClick={() => void answer({ error: 'The user did not answer.' })}
        >
          <X />
          Let it fail
        </Button>
      </div>
    </section>
  );
}
