import { useEffect, useRef } from 'react';
import { ROOT } from '../input/draft.ts';
import { RootField } from '../input/input-fields.tsx';
import { Segment } from '../ui/segment.tsx';
import type { ArgumentsView } from './arguments-draft.ts';
import { ArgumentsEditor } from './arguments-editor.tsx';
import { isWriting } from './pending-card.tsx';
import { ResponseForm } from './response-form.tsx';
import type { EditedArguments } from './use-arguments.ts';

type ArgumentsFormProps = {
  edited: EditedArguments;
  onSend: () => void;
  onEscape: () => void;
};

const views: readonly { value: ArgumentsView; label: string }[] = [
  { value: 'fields', label: 'Fields' },
  { value: 'json', label: 'JSON' },
];

/**
 * The arguments of a waiting call as a form with a field for each, or as JSON. It takes the focus, because the user
 * asked for it.
 */
export function ArgumentsForm({ edited, onSend, onEscape }: ArgumentsFormProps) {
  const { args, fault, attempts, setJson, setView } = edited;
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // a form that is drawn again does not take the focus from another field
    if (attempts === 0 && isWriting(document.activeElement)) return;
    const find = (selector: string) => content.current?.querySelector<HTMLElement>(selector);
    (find('[aria-invalid=true], [data-invalid]') ?? find('input, textarea, select, button'))?.focus();
  }, [attempts]);
  return (
    <ResponseForm
      label="Arguments"
      // it scrolls itself, and its texts are as high as their lines
      className="scroll relative min-h-24 rounded-md border border-line bg-panel px-2.5 py-2 [&_textarea]:max-h-none"
      onSend={onSend}
      onEscape={onEscape}
    >
      <div className="mb-2 flex items-center justify-between gap-2">
        <span className="text-sm text-ink-3">Arguments</span>
        {args.field.kind !== 'json' && (
          <Segment quiet label="Edit as" value={args.view} options={views} onChange={setView} />
        )}
      </div>
      <div ref={content}>
        {args.view === 'json' ? (
          <ArgumentsEditor text={args.json} fault={fault} onChange={setJson} />
        ) : (
          <Fields edited={edited} />
        )}
      </div>
    </ResponseForm>
  );
}

function Fields({ edited: { args, problems, setDraft } }: { edited: EditedArguments }) {
  const { field, draft } = args;
  if (field.kind === 'object' && field.fields.length === 0) {
    return <p className="text-sm text-ink-3">This call has no arguments.</p>;
  }
  return <RootField name="Arguments" {...{ field, draft, path: ROOT, problems, onDraft: setDraft }} />;
}
