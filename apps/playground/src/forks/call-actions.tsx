import type { ToolCallState } from '@cueline/core';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { editFault, forkEdited, forkProblem, stepsToRunFrom } from '../state/fork-session.ts';
import { logOf } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Segment } from '../ui/segment.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { EditDialog } from './edit-dialog.tsx';
import { readResult, writeResult, type ResultKind } from './read-result.ts';

const kinds = [
  { value: 'json', label: 'JSON' },
  { value: 'text', label: 'Text' },
  { value: 'error', label: 'Error' },
] as const;

const labels: Record<ResultKind, string> = {
  json: 'Result as JSON',
  text: 'Result as text',
  error: 'Error that the model reads',
};

type CallActionsProps = {
  session: RunSession;
  turn: number;
  call: ToolCallState;
  /** The path of the agent that made it; missing for a call of the run itself. */
  agent: string | undefined;
};

/** The actions of a call that has ended: edit its result, and continue the run from there. */
export function CallActions({ session, turn, call, agent }: CallActionsProps) {
  const [isOpen, setOpen] = useState(false);
  const [fault, setFault] = useState<string>();
  const { step, toolCallId, state } = call;
  const hasEnded = state === 'output-available' || state === 'output-error';
  if (!hasEnded) return null;
  const open = (): void => {
    // the menu checks only now whether the step is complete, because that reads the whole log
    const wrong =
      forkProblem(session) ??
      (agent === undefined || stepsToRunFrom(session, turn, agent).includes(step + 1)
        ? editFault(logOf(session, turn), { step, agent, toolCallId, output: null })
        : 'The agent cannot continue after this step. Edit the result of the call that the agent answers.');
    setFault(wrong);
    setOpen(wrong === undefined);
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button variant="outline" onClick={open}>
        <Pencil />
        Edit result…
      </Button>
      {fault !== undefined && (
        <p role="status" className="min-w-0 text-sm text-ink-2">
          {fault}
        </p>
      )}
      {isOpen && (
        <ResultDialog
          session={session}
          turn={turn}
          call={call}
          agent={agent}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function ResultDialog({ session, turn, call, agent, onClose }: CallActionsProps & { onClose: () => void }) {
  const [written, setWritten] = useState(() => writeResult(call));
  const { kind, text } = written;
  const run = (): string | undefined => {
    const result = readResult(kind, text);
    if ('fault' in result) return result.fault;
    return forkEdited(session, turn, { step: call.step, agent, toolCallId: call.toolCallId, ...result });
  };
  return (
    <EditDialog
      title={`Edit the result of ${visibleText(call.toolName)}`}
      description={`A new run keeps everything up to step ${call.step + 1}${agent === undefined ? '' : ' of the agent'}, with this result. Only what follows runs.`}
      label={labels[kind]}
      text={text}
      mono={kind !== 'error'}
      onChange={(changed) => setWritten({ kind, text: changed })}
      onRun={run}
      onClose={onClose}
    >
      <Segment
        label="The call returns"
        value={kind}
        options={kinds}
        onChange={(value) => setWritten({ kind: value, text })}
      />
    </EditDialog>
  );
}
