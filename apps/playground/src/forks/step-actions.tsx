import { FileCode, GitFork, Pencil } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import {
  answerOf,
  forkAt,
  forkEdited,
  forkProblem,
  stepOfAgent,
  stepsToRunFrom,
} from '../state/fork-session.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { ActionsMenu } from '../ui/menu/actions-menu.tsx';
import { MenuItem } from '../ui/menu/menu-item.tsx';
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

/**
 * The menu of a step: run again from here, with the script that ran or the one in the editor, or with another answer.
 */
export function StepActions({ session, turn, step, agent, className }: StepActionsProps) {
  const [answer, setAnswer] = useState<string>();
  const trigger = useRef<HTMLButtonElement>(null);
  /** The answer to edit once the menu has closed: until then, the menu keeps the focus. */
  const chosen = useRef<string>(undefined);
  return (
    <>
      <ActionsMenu
        label={`Actions of step ${step + 1}`}
        width="w-88"
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
        <Items
          session={session}
          turn={turn}
          step={step}
          agent={agent}
          onEdit={(text) => (chosen.current = text)}
        />
      </ActionsMenu>
      {answer !== undefined && (
        <AnswerDialog
          session={session}
          turn={turn}
          step={step}
          agent={agent}
          answer={answer}
          onClose={() => setAnswer(undefined)}
        />
      )}
    </>
  );
}

/** Reads the log only while the menu is open. */
function Items({
  session,
  turn,
  step,
  agent,
  onEdit,
}: StepActionsProps & { onEdit: (answer: string) => void }) {
  const script = usePlayground((state) => state.script);
  const steps = stepsToRunFrom(session, turn, agent);
  const canRun = steps.includes(step);
  const problem = forkProblem(session);
  if (agent !== undefined && steps.length === 0) {
    return problem === undefined ? (
      <WholeAgentItems session={session} turn={turn} agent={agent} />
    ) : (
      <Hint>{problem}</Hint>
    );
  }
  const answer = problem === undefined ? answerOf(session, turn, step, agent) : undefined;
  const { source } = session;
  const isEdited = 'script' in source && source.script !== script;
  return (
    <>
      <MenuItem Icon={GitFork} disabled={!canRun} onSelect={() => forkAt(session, turn, { step, agent })}>
        Run again from step {step + 1}
        {isEdited && ' with this run’s script'}
      </MenuItem>
      {isEdited && (
        <MenuItem
          Icon={FileCode}
          disabled={!canRun}
          onSelect={() => forkAt(session, turn, { step, agent, script })}
        >
          Run again from step {step + 1} with the script in the editor
        </MenuItem>
      )}
      <MenuItem
        Icon={Pencil}
        disabled={answer === undefined}
        onSelect={() => answer !== undefined && onEdit(answer)}
      >
        Edit answer…
      </MenuItem>
      <Hint>{problem ?? (canRun ? hintOf(step, agent !== undefined) : noWayOn)}</Hint>
    </>
  );
}

type AgentItemsProps = Pick<StepActionsProps, 'session' | 'turn'> & { agent: string };

/** An agent that a tool calls in its function runs again with the step of the run that called the tool. */
function WholeAgentItems({ session, turn, agent }: AgentItemsProps) {
  const outer = stepOfAgent(session, turn, agent);
  const canRun = outer !== undefined && stepsToRunFrom(session, turn).includes(outer);
  return (
    <>
      <MenuItem
        Icon={GitFork}
        disabled={!canRun}
        onSelect={() => outer !== undefined && forkAt(session, turn, { step: outer })}
      >
        Run again from step {(outer ?? 0) + 1} of the run
      </MenuItem>
      <Hint>
        {canRun
          ? 'The function of a tool called this agent, so it runs again together with the tool. Or edit the result of that tool.'
          : noWayOn}
      </Hint>
    </>
  );
}

function Hint({ children }: { children: ReactNode }) {
  return <p className="px-2.5 pt-1 pb-1.5 text-sm text-ink-2">{children}</p>;
}

const noWayOn = 'The model continues only after a step that called tools or got feedback on what is missing.';

function hintOf(step: number, isAgent: boolean): string {
  const kept = step === 1 ? 'step 1' : step === 2 ? 'steps 1 and 2' : `steps 1 to ${step}`;
  if (!isAgent && step === 0) return 'A new run begins with the same input. This one stays.';
  if (!isAgent) return `A new run keeps ${kept}. This one stays.`;
  return step === 0
    ? 'A new run keeps everything before this agent, which starts over. This run stays.'
    : `A new run keeps everything before this agent, and ${kept} of the agent. This run stays.`;
}

type AnswerDialogProps = StepActionsProps & { answer: string; onClose: () => void };

function AnswerDialog({ session, turn, step, agent, answer, onClose }: AnswerDialogProps) {
  const [text, setText] = useState(answer);
  return (
    <EditDialog
      title={`Edit the answer of step ${step + 1}`}
      description="A new run keeps everything up to this step, with this text. Only what follows runs; after the last answer, your reply."
      label="What the model has written"
      text={text}
      mono={false}
      onChange={setText}
      onRun={() => forkEdited(session, turn, { step, agent, text })}
      onClose={onClose}
    />
  );
}
