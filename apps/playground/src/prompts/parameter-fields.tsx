import { Trash2 } from 'lucide-react';
import { useRef, type Ref } from 'react';
import { isSameJson } from '../input/same-json.ts';
import { useTypedText } from '../input/use-typed-text.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, Choose, TextInput } from '../ui/form-controls.tsx';
import type { EditableParameter } from './editable-prompt.ts';
import { readAllowedValues, toListed, toValue, writeAllowedValues } from './parameter-texts.ts';
import { editParameter, type ParameterChange, type ParameterList } from './store.ts';

type ParameterFieldsProps = {
  list: ParameterList;
  index: number;
  parameter: EditableParameter;
  problem: (member: string) => string | undefined;
  onRemove: () => void;
  /** Gets the field of the name. */
  nameRef: Ref<HTMLInputElement>;
};

export function ParameterFields(props: ParameterFieldsProps) {
  const { list, index, parameter, problem, onRemove, nameRef } = props;
  const { name, type, description = '', required, defaultValue, allowedValues } = parameter;
  const change = (next: ParameterChange): void => editParameter(list, index, next);
  const isRequired = required ?? defaultValue === undefined;
  const converted = useRef<{ from: Values; to: Values }>(undefined);
  const changeType = (next: EditableParameter['type']): void => {
    const now = { defaultValue, allowedValues };
    // a key that passes another type must not change the values: until they are edited, they are converted from the
    // first
    const last = converted.current;
    const from = last !== undefined && isSameJson(last.to, now) ? last.from : now;
    const to = convert(from, next);
    converted.current = { from, to };
    change({ type: next, ...to });
  };
  return (
    <div
      role="group"
      aria-label={`Parameter ${name || index + 1}`}
      className="grid grid-cols-[1.2fr_0.9fr_1.3fr_auto] items-start gap-2 rounded-lg border border-line bg-raised p-2.5 @max-[480px]:grid-cols-2"
    >
      <TextInput
        label="Parameter"
        ref={nameRef}
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
        value={defaultValue}
        none={isRequired ? 'none: required' : 'none'}
        problem={problem('defaultValue')}
        onChange={change}
      />
      <Button
        square
        aria-label={`Remove ${name || 'this parameter'}`}
        className="mt-[22px] @max-[480px]:order-last @max-[480px]:mt-0 @max-[480px]:justify-self-end"
        onClick={onRemove}
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

/** The members of a parameter that depend on its type. */
type Values = {
  defaultValue: EditableParameter['defaultValue'];
  allowedValues: EditableParameter['allowedValues'];
};

function convert({ defaultValue, allowedValues }: Values, type: EditableParameter['type']): Values {
  return {
    defaultValue: defaultValue === undefined ? undefined : toValue(String(defaultValue), type),
    allowedValues: type === 'boolean' ? undefined : allowedValues?.map((one) => toListed(String(one), type)),
  };
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
}: FieldProps & { value: EditableParameter['defaultValue']; none: string }) {
  const read = (text: string): typeof value => (text === '' ? undefined : toValue(text, type));
  const [text, setText] = useTypedText(value, read, (one) => (one === undefined ? '' : String(one)));
  const change = (next: string): void => {
    setText(next);
    // a default makes a parameter optional, so `required` is left out
    onChange({ defaultValue: read(next), required: undefined });
  };
  if (type === 'boolean') {
    return (
      <Choose
        label="Default"
        value={text}
        onChoose={change}
        options={[
          ['', none],
          ['true', 'true'],
          ['false', 'false'],
        ]}
        problem={problem}
      />
    );
  }
  return <TextInput label="Default" value={text} placeholder={none} onText={change} problem={problem} />;
}

/** The values that a parameter may have, as a text with commas; a value with a comma is in double quotes. */
function AllowedValues({
  type,
  values,
  problem,
  onChange,
}: FieldProps & { values: EditableParameter['allowedValues'] }) {
  const read = (typed: string): typeof values => readAllowedValues(typed, type);
  const [text, setText] = useTypedText(values, read, writeAllowedValues);
  return (
    <TextInput
      label="Allowed values"
      value={text}
      placeholder={type === 'enum' ? 'formal, casual' : 'any'}
      onText={(next) => {
        setText(next);
        onChange({ allowedValues: read(next) });
      }}
      problem={problem}
      className="@max-[480px]:col-span-2"
    />
  );
}
