import { clsx } from 'clsx';
import { Trash2 } from 'lucide-react';
import { memo, type Ref } from 'react';
import type { EditableParameter } from '../prompts/editable-prompt.ts';
import { ValueField } from '../prompts/prompt-values.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea, TextInput } from '../ui/form-controls.tsx';
import { offerUndo } from '../ui/toast.ts';
import type { EditableCase } from './eval-settings.ts';
import { useEvals } from './store.ts';

/** The columns of cases with one value: name, value, expected answer, and the button. */
export const caseColumns = 'grid-cols-[150px_minmax(0,1fr)_150px_auto]';

type CaseFieldsProps = {
  parameters: readonly EditableParameter[];
  one: EditableCase;
  index: number;
  /** Gets the field of the name. */
  nameRef: Ref<HTMLInputElement> | undefined;
};

/** One case: its name, a value for each parameter, and the expected answer. */
export const CaseFields = memo(function CaseFields({ parameters, one, index, nameRef }: CaseFieldsProps) {
  const editCase = useEvals((state) => state.editCase);
  const removeCase = useEvals((state) => state.removeCase);
  const isSingle = parameters.length === 1;
  const values = parameters.map((parameter) => (
    <ValueField
      key={parameter.name}
      parameter={parameter}
      quiet={isSingle}
      value={(Object.hasOwn(one.input, parameter.name) ? one.input[parameter.name] : undefined) ?? ''}
      onValue={(value) => editCase(index, { input: { ...one.input, [parameter.name]: value } })}
    />
  ));
  const expected = (
    <TextArea
      label={isSingle ? `Expected answer of ${one.id}` : 'Expected answer'}
      quiet={isSingle}
      rows={1}
      value={one.expect}
      onText={(expect) => editCase(index, { expect })}
      className={isSingle ? 'narrow:col-span-2' : 'col-span-full'}
    />
  );
  return (
    <li className="rounded-lg border border-line bg-raised p-2">
      <div
        className={clsx(
          'grid items-start gap-2 narrow:grid-cols-[minmax(0,1fr)_auto]',
          // a single value fits beside the answer
          isSingle ? caseColumns : 'grid-cols-[150px_minmax(0,1fr)_auto]',
        )}
      >
        <TextInput
          label={`Name of case ${index + 1}`}
          ref={nameRef}
          quiet
          code
          value={one.id}
          onText={(id) => editCase(index, { id })}
        />
        {isSingle ? (
          values
        ) : (
          <div className="grid min-w-0 grid-cols-2 gap-2 narrow:order-last narrow:col-span-2 narrow:grid-cols-1">
            {values}
            {expected}
          </div>
        )}
        {isSingle && expected}
        <Button
          square
          aria-label={`Remove ${one.id}`}
          className="narrow:col-start-2 narrow:row-start-1"
          onClick={() => {
            const undo = removeCase(index);
            offerUndo(`${one.id} is removed.`, undo);
          }}
        >
          <Trash2 />
        </Button>
      </div>
    </li>
  );
});
