import { Trash2 } from 'lucide-react';
import { memo } from 'react';
import { parametersOf, type EditablePrompt } from '../prompts/editable-prompt.ts';
import { ValueField } from '../prompts/prompt-values.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea, TextInput } from '../ui/form.tsx';
import type { EditableCase } from './eval-settings.ts';
import { useEvals } from './store.ts';

type CaseFieldsProps = { prompt: EditablePrompt | undefined; one: EditableCase; index: number };

/** One case: its name, a value for each parameter, and what is expected. */
export const CaseFields = memo(function CaseFields({ prompt, one, index }: CaseFieldsProps) {
  const editCase = useEvals((state) => state.editCase);
  const removeCase = useEvals((state) => state.removeCase);
  const parameters = prompt === undefined ? [] : parametersOf(prompt);
  return (
    <li className="rounded-lg border border-line bg-raised p-2.5">
      <div className="grid grid-cols-[150px_minmax(0,1fr)_auto] items-start gap-2 narrow:grid-cols-[minmax(0,1fr)_auto]">
        <TextInput
          label={`Name of case ${index + 1}`}
          quiet
          code
          value={one.id}
          onText={(id) => editCase(index, { id })}
        />
        <div className="grid min-w-0 gap-2 narrow:order-last narrow:col-span-2">
          {parameters.map((parameter) => (
            <ValueField
              key={parameter.name}
              parameter={parameter}
              quiet={parameters.length === 1}
              value={(Object.hasOwn(one.input, parameter.name) ? one.input[parameter.name] : undefined) ?? ''}
              onValue={(value) => editCase(index, { input: { ...one.input, [parameter.name]: value } })}
            />
          ))}
          <TextArea
            label={`Expected answer of ${one.id}`}
            quiet
            rows={1}
            value={one.expect}
            placeholder="Expected answer"
            onText={(expect) => editCase(index, { expect })}
          />
        </div>
        <Button square aria-label={`Remove ${one.id}`} onClick={() => removeCase(index)}>
          <Trash2 />
        </Button>
      </div>
    </li>
  );
});
