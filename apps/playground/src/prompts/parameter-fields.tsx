import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Checkbox, Choose, TextInput } from '../ui/form.tsx';
import type { EditableParameter } from './editable-prompt.ts';
import { editParameter, removeParameter, type ParameterChange, type ParameterList } from './store.ts';

type ParameterFieldsProps = {
  list: ParameterList;
  index: number;
  parameter: EditableParameter;
  problem: (member: string) => string | undefined;
};

/** The declaration of one parameter. */
export function ParameterFields({ list, index, parameter, problem }: ParameterFieldsProps) {
  const { name, type, description = '', required, defaultValue, allowedValues } = parameter;
  const change = (next: ParameterChange): void => editParameter(list, index, next);
  const isRequired = required ?? defaultValue === undefined;
  const changeType = (next: EditableParameter['type']): void =>
    change({
      type: next,
      ...(next === 'boolean' ? { allowedValues: undefined } : {}),
      ...(defaultValue === undefined ? {} : { defaultValue: toValue(String(defaultValue), next) }),
      ...(allowedValues === undefined || next === 'boolean'
        ? {}
        : { allowedValues: allowedValues.map((one) => toListed(String(one), next)) }),
    });
  return (
    <div
      role="group"
      aria-label={`Parameter ${name || index + 1}`}
      className="grid grid-cols-[1.2fr_0.9fr_1.3fr_auto] items-start gap-2 rounded-lg border border-line bg-raised p-2.5 @max-[480px]:grid-cols-2"
    >
      <TextInput
        label="Parameter"
        code
        value={name}
        placeholder="CITY"
        onText={(next) => change({ name: next })}
        problem={problem('name')}
      />
      <Choose
        label="Type"
        value={type}
        onChoose={changeType}
        options={['string', 'number', 'boolean', 'enum']}
        problem={problem('type')}
      />
      <DefaultField
        type={type}
        value={defaultValue === undefined ? '' : String(defaultValue)}
        none={isRequired ? 'none: required' : 'none'}
        problem={problem('defaultValue')}
        onChange={change}
      />
      <Button
        square
        aria-label={`Remove ${name || 'this parameter'}`}
        className="mt-[22px] @max-[480px]:order-last @max-[480px]:mt-0 @max-[480px]:justify-self-end"
        onClick={() => removeParameter(list, index)}
      >
        <Trash2 />
      </Button>
      <TextInput
        label="Description"
        value={description}
        className="col-span-2"
        placeholder="For people, and for MCP clients"
        onText={(next) => change({ description: next === '' ? undefined : next })}
        problem={problem('description')}
      />
      {type === 'boolean' ? (
        <span />
      ) : (
        <AllowedValues
          type={type}
          values={allowedValues}
          problem={problem('allowedValues')}
          onChange={change}
        />
      )}
      <div className="col-span-full -mt-1 @max-[480px]:col-span-1 @max-[480px]:mt-0">
        <Checkbox
          label="A value must be passed"
          checked={isRequired}
          disabled={defaultValue !== undefined}
          onCheck={(checked) => change({ required: checked ? undefined : false })}
        />
        {problem('required') !== undefined && <p className="text-sm text-danger">{problem('required')}</p>}
      </div>
    </div>
  );
}

type FieldProps = {
  type: EditableParameter['type'];
  problem: string | undefined;
  onChange: (change: ParameterChange) => void;
};

/** The default of a parameter; `none` says what an empty one means. */
function DefaultField({
  type,
  value,
  none,
  problem,
  onChange,
}: FieldProps & { value: string; none: string }) {
  if (type === 'boolean') {
    return (
      <Choose
        label="Default"
        value={value}
        onChoose={(next) => onChange(withDefault(next, 'boolean'))}
        options={[
          ['', none],
          ['true', 'true'],
          ['false', 'false'],
        ]}
        problem={problem}
      />
    );
  }
  return (
    <TextInput
      label="Default"
      value={value}
      placeholder={none}
      onText={(next) => onChange(withDefault(next, type))}
      problem={problem}
    />
  );
}

/** The values that a parameter may have, as a text with commas. */
function AllowedValues({
  type,
  values,
  problem,
  onChange,
}: FieldProps & { values: EditableParameter['allowedValues'] }) {
  // what is typed keeps its commas and spaces
  const [text, setText] = useState(() => (values ?? []).join(', '));
  return (
    <TextInput
      label="Allowed values"
      value={text}
      placeholder={type === 'enum' ? 'formal, casual' : 'any'}
      onText={(next) => {
        setText(next);
        const listed = next
          .split(',')
          .flatMap((one) => (one.trim() === '' ? [] : [toListed(one.trim(), type)]));
        onChange({ allowedValues: listed.length === 0 ? undefined : listed });
      }}
      problem={problem}
      className="@max-[480px]:col-span-2"
    />
  );
}

/** A default makes a parameter optional, so `required` is left out. */
function withDefault(text: string, type: EditableParameter['type']): ParameterChange {
  return text === ''
    ? { defaultValue: undefined, required: undefined }
    : { defaultValue: toValue(text, type), required: undefined };
}

/** Returns a typed text as a value of the type. A text that does not fit stays a text, and the library reports it. */
function toValue(text: string, type: EditableParameter['type']): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  return text;
}

function toListed(text: string, type: EditableParameter['type']): string | number {
  const value = toValue(text, type === 'number' ? 'number' : 'string');
  return typeof value === 'boolean' ? text : value;
}
