import { FileCode, GitFork, Pencil } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef, useState, type ReactNode } from 'react';
import {
  answerOf,
  editFault,
  forkAt,
  forkEdited,
  forkProblem,
  stepOfAgent,
  stepsToRunFrom,
} from '../state/fork-session.ts';
import { logOf } from '../state/shown-run.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { ActionsMenu } from '../ui/menu/actions-menu.tsx';
import { menuItem } from '../ui/menu/menu-style.ts';
import { EditDialog } from './edit-dialog.tsx';

type StepActionsProps = {
  session: RunSession;
  turn: number;
  /** From 0. */
  step: number;
  /** The path of the agent whose step it is; missing for a step of the run itself. */
  agent?: string | undefined;
  className?: string;
};

/** The menu of a step: run again from here, with the script as it is now, or with another answer. */
export function StepActions({ session, turn, step, agent, className }: StepActionsProps) {
  const [answer, setAnswer] = useState<string>();
  const trigger = useRef<HTMLButtonElement>(null);
  /** The answer to edit once the menu has closed: until then, the menu keeps the focus. */
  const chosen = useRef<string>(undefined);
  return (
    <>
      <ActionsMenu
        label={`Actions of step ${step + 1}`}
        width="w-72"
        trigger={trigger}
        className={className}
        onCloseAutoFocus={(event) => {
          if (chosen.current === undefined) return;
          event.preventDefault();
          // when it closes, the dialog returns the focus to the element that had it before
          trigger.current?.focus();
          setAnswer(chosen.current);
          chosen.current = undefined;
        }}
      >
        {agent === undefined ? (
          <Items session={session} turn={turn} step={step} onEdit={(text) => (chosen.current = text)} />
        ) : (
          <AgentItems session={session} turn={turn} agent={agent} />
        )}
      </ActionsMenu>
      {answer !== undefined && (
        <AnswerDialog
          session={session}
          turn={turn}
          step={step}
          answer={answer}
          onClose={() => setAnswer(undefined)}
        />
      )}
    </>
  );
}

/** Reads the log only while the menu is open. */
function Items({ session, turn, step, onEdit }: StepActionsProps & { onEdit: (answer: string) => void }) {
  const script = usePlayground((state) => state.script);
  const canRun = stepsToRunFrom(session, turn).includes(step);
  const answer = forkProblem(session) === undefined ? answerOf(session, turn, step) : undefined;
  const { source } = session;
  const isEdited = 'script' in source && source.script !== script;
  return (
    <>
      <DropdownMenu.Item disabled={!canRun} className={menuItem} onSelect={() => forkAt(session, turn, step)}>
        <GitFork />
        Run again from step {step + 1}
      </DropdownMenu.Item>
      {isEdited && (
        <DropdownMenu.Item
          disabled={!canRun}
          className={menuItem}
          onSelect={() => forkAt(session, turn, step, script)}
        >
          <FileCode />… with the script as it is now
        </DropdownMenu.Item>
      )}
      <DropdownMenu.Item
        disabled={answer === undefined}
        className={menuItem}
        onSelect={() => answer !== undefined && onEdit(answer)}
      >
        <Pencil />
        Edit answer…
      </DropdownMenu.Item>
      <Hint>{forkProblem(session) ?? hint(canRun, step)}</Hint>
    </>
  );
}

type AgentItemsProps = Pick<StepActionsProps, 'session' | 'turn'> & { agent: string };

/** An agent is one call of the run, so it runs again with the step that called it. */
function AgentItems({ session, turn, agent }: AgentItemsProps) {
  const outer = stepOfAgent(session, turn, agent);
  const canRun = outer !== undefined && stepsToRunFrom(session, turn).includes(outer);
  return (
    <>
      <DropdownMenu.Item
        disabled={!canRun}
        className={menuItem}
        onSelect={() => outer !== undefined && forkAt(session, turn, outer)}
      >
        <GitFork />
        Run again from step {(outer ?? 0) + 1} of the run
      </DropdownMenu.Item>
      <Hint>
        {forkProblem(session) ??
          (canRun
            ? 'An agent works inside one call of the run. It cannot begin at one of its own steps, so it runs again as a whole, or you edit the result that it returns.'
            : noWayOn)}
      </Hint>
    </>
  );
}

function Hint({ children }: { children: ReactNode }) {
  return <p className="px-2.5 pt-1 pb-1.5 text-sm text-ink-2">{children}</p>;
}

const noWayOn = 'The model continues only after a step that called tools or got feedback on what is missing.';

function hint(canRun: boolean, step: number): string {
  if (!canRun) return noWayOn;
  if (step === 0) return 'A new run begins with the same input. This one stays.';
  const kept = step === 1 ? 'step 1' : step === 2 ? 'steps 1 and 2' : `steps 1 to ${step}`;
  return `A new run keeps ${kept}. This one stays.`;
}

type AnswerDialogProps = StepActionsProps & { answer: string; onClose: () => void };

function AnswerDialog({ session, turn, step, answer, onClose }: AnswerDialogProps) {
  const [text, setText] = useState(answer);
  const run = (): string | undefined => {
    const edit = { step, text };
    const fault = editFault(logOf(session, turn), edit);
    if (fault === undefined) forkEdited(session, turn, edit);
    return fault;
  };
  return (
    <EditDialog
      title={`Edit the answer of step ${step + 1}`}
      description="A new run keeps everything up to this step, with this text. Only what follows runs; after the last answer, your reply."
      label="What the model has written"
      text={text}
      mono={false}
      onChange={setText}
      onRun={run}
      onClose={onClose}
    />
  );
}
