import { Choose, TextArea, TextInput } from '../ui/form-controls.tsx';
import type { Values } from './check-prompts.ts';
import { parametersOf, type EditableParameter, type EditablePrompt } from './editable-prompt.ts';

type PromptValuesProps = {
  prompt: EditablePrompt;
  values: Values;
  problems: ReadonlyMap<string, string> | undefined;
  onValue: (name: string, value: string) => void;
};

/** The values of a prompt's parameters, as a form. */
export function PromptValues({ prompt, values, problems, onValue }: PromptValuesProps) {
  const parameters = parametersOf([prompt]);
  if (parameters.length === 0) return <p className="text-ink-2">This prompt has no parameters.</p>;
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-2.5 narrow:grid-cols-1">
      {parameters.map((parameter) => (
        <ValueField
          key={parameter.name}
          parameter={parameter}
          value={(Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined) ?? ''}
          problem={problems?.get(parameter.name)}
          onValue={(value) => onValue(parameter.name, value)}
        />
      ))}
    </div>
  );
}

type ValueFieldProps = {
  parameter: EditableParameter;
  value: string;
  /** For a cell of a table, whose column has the name. */
  quiet?: boolean;
  problem?: string | undefined;
  onValue: (value: string) => void;
};

/** The value of one parameter. An empty one is not passed. */
export function ValueField({ parameter, value, quiet = false, problem, onValue }: ValueFieldProps) {
  const { name, type, description, defaultValue, required, allowedValues } = parameter;
  const isRequired = required ?? defaultValue === undefined;
  const none = defaultValue === undefined ? (isRequired ? 'choose' : 'none') : String(defaultValue);
  const common = {
    label: name,
    quiet,
    problem: problem === undefined ? undefined : `${name} ${problem}.`,
    ...(quiet ? {} : { hint: description }),
  };
  const choices = type === 'boolean' ? ['true', 'false'] : allowedValues?.map(String);
  if (choices !== undefined) {
    const listed = [...new Set(choices.filter((choice) => choice !== ''))];
    return (
      <Choose
        {...common}
        value={value}
        onChoose={onValue}
        options={[
          ['', `(${none})`],
          ...listed.map((choice) => [choice, choice] as const),
          // an earlier value that no longer fits: its problem is shown
          ...(value === '' || listed.includes(value) ? [] : [[value, value] as const]),
        ]}
      />
    );
  }
  const placeholder = defaultValue === undefined ? undefined : String(defaultValue);
  const shared = { ...common, value, onText: onValue, ...(placeholder === undefined ? {} : { placeholder }) };
  return type === 'number' ? (
    <TextInput {...shared} inputMode="decimal" />
  ) : (
    <TextArea
      {...shared}
      rows={1}
      className={quiet ? 'narrow:col-span-2' : isShort(name) ? undefined : 'col-span-full'}
    />
  );
}

/** Texts that usually fill a line or less. */
function isShort(name: string): boolean {
  return !/TEXT|REVIEW|MESSAGE|LETTER|CODE|PROMPT|DOCUMENT|ARTICLE|EMAIL|BODY|CONTENT|QUESTION/i.test(name);
}
