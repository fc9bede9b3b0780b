import { definePrompt, isPending, type ApprovalState } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import { useState, type ReactElement } from 'react';
import * as z from 'zod';

// #region approval
export const desk = definePrompt('desk', (prompt) => {
  prompt.defSystem('role', 'You help with mail.');
  prompt.defTool(
    'sendMail',
    'Sends a mail',
    z.object({ to: z.string(), text: z.string() }),
    ({ to }) => `sent to ${to}`,
    { needsApproval: true },
  );
});

export function Desk(): ReactElement {
  const run = usePrompt(desk, { id: 'desk' });
  return (
    <>
      <button onClick={() => void run.send('Tell Ada that I come at ten.')}>Tell Ada</button>
      {run.approvals.filter(isPending).map((approval) => (
        <Approval key={approval.approvalId} approval={approval} respond={run.respondToApproval} />
      ))}
      <p>{run.text}</p>
    </>
  );
}

type ApprovalProps = {
  approval: ApprovalState;
  respond: ReturnType<typeof usePrompt>['respondToApproval'];
};

function Approval({ approval, respond }: ApprovalProps): ReactElement {
  const [input, setInput] = useState(() => JSON.stringify(approval.input));
  const [fault, setFault] = useState(approval.reason);
  const { approvalId, toolName } = approval;
  const approve = (): void => {
    try {
      void respond(approvalId, { approved: true, input: JSON.parse(input) as unknown });
    } catch (error) {
      setFault(`The arguments are not JSON: ${(error as Error).message}`);
    }
  };
  return (
    <fieldset>
      <legend>{toolName}?</legend>
      <input aria-label="Arguments" value={input} onChange={(event) => setInput(event.target.value)} />
      {fault !== undefined && <p role="alert">{fault}</p>}
      <button onClick={approve}>Approve</button>
      <button onClick={() => void respond(approvalId, { approved: false, reason: 'Not today.' })}>
        Refuse
      </button>
    </fieldset>
  );
}
// #endregion

// #region chat
const tutor = definePrompt('tutor', (prompt) => {
  prompt.defSystem('role', 'You teach Portuguese.');
});

export function Chat(): ReactElement {
  const chat = usePrompt(tutor, { id: 'lesson-1' });
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void chat.send(text, { whenBusy: 'queue' });
        setText('');
      }}
    >
      {chat.messages.map((message) => (
        <p key={message.id}>
          {message.role}: {message.parts.map((part) => part.type === 'text' && part.text)}
        </p>
      ))}
      {chat.status === 'error' && <p role="alert">{chat.error.message}</p>}
      {chat.queued > 0 && <p>{chat.queued} to come</p>}
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button>Send</button>
      {chat.status === 'running' && (
        <button type="button" onClick={chat.stop}>
          Stop
        </button>
      )}
    </form>
  );
}
// #endregion
