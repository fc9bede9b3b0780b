import { useId, useState } from 'react';
import { Checkbox, Choose, TextArea, TextInput } from '../ui/form-controls.tsx';
import { summarize } from '../ui/format.ts';
import { hiddenIn } from '../ui/visible-text.ts';
import { FieldNote } from './field-group.tsx';
import { labelOf, placeholderOf, type InputFieldProps, type FieldOf } from './field-props.ts';
import { JSON_EXAMPLE } from './schema-fields.ts';

/** A field for a text, a number, or JSON. */
export function TypedField({
  field,
  draft,
  path,
  problems,
  onDraft,
  ...props
}: InputFieldProps<FieldOf<'text' | 'number' | 'json'>>) {
  const placeholder = placeholderOf(field);
  const value = typeof draft === 'string' ? draft : '';
  // as the text was at first: a field that changes while the user types would lose the focus
  const [hasLines] = useState(() => /[\n\r]/.test(value));
  const [isLong] = useState(() => hasLines || value.length > LONG_TEXT);
  // a date picker would show any other text as empty
  const [canPick] = useState(() => value === '' || /^\d{4}-\d\d-\d\d$/.test(value));
  const shared = {
    label: labelOf({ ...props, field }),
    value,
    // an empty field is left out if its value may be missing
    onText: (text: string) => onDraft(text === '' && field.kind !== 'text' ? undefined : text, path),
    problem: problems.get(path),
    hint:
      [field.description, boundsOf(field), hiddenNote(field, value)].filter(Boolean).join(' · ') || undefined,
    ...(placeholder !== undefined && { placeholder }),
  };
  if (field.kind === 'number') {
    return (
      <TextInput
        {...shared}
        inputMode={field.integer && (field.minimum ?? -1) >= 0 ? 'numeric' : 'decimal'}
      />
    );
  }
  if (field.kind === 'json') {
    const example = field.example ?? placeholder ?? JSON_EXAMPLE;
    return <TextArea {...shared} code rows={2} placeholder={example} className="basis-full!" />;
  }
  const { format, maxLength = Infinity } = field;
  const hasOneLine = format === 'date' || format === 'email' || format === 'uri' || maxLength <= SHORT_TEXT;
  if (hasOneLine && !hasLines) {
    return <TextInput {...shared} type={format === 'date' && canPick ? 'date' : 'text'} />;
  }
  return (
    <TextArea {...shared} rows={1} style={{ resize: 'none' }} {...(isLong && { className: 'basis-full!' })} />
  );
}

/** The most characters of a text that has one line. */
const SHORT_TEXT = 120;
/** A text with more characters than this has the whole width. */
const LONG_TEXT = 40;

/** The hidden characters of a text, which the field itself cannot show. */
function hiddenNote({ kind }: FieldOf<'text' | 'number' | 'json'>, value: string): string | undefined {
  const hidden = kind === 'text' ? hiddenIn(value) : [];
  return hidden.length === 0 ? undefined : `Hidden characters: ${hidden.join(' ')}`;
}

function boundsOf(field: FieldOf<'text' | 'number' | 'json'>): string | undefined {
  if (field.kind !== 'number') return undefined;
  const { minimum, maximum, above, below } = field;
  const from = minimum ?? above;
  const to = maximum ?? below;
  if (from === undefined && to === undefined) return undefined;
  if (to === undefined) return above === undefined ? `${from} or more` : `more than ${from}`;
  if (from === undefined) return below === undefined ? `${to} or less` : `less than ${to}`;
  return `${from} to ${to}`;
}

/** A checkbox, or a choice between yes, no and none if the value may be missing. */
export function ToggleField({
  field,
  draft,
  path,
  problems,
  onDraft,
  ...props
}: InputFieldProps<FieldOf<'boolean' | 'fixed'>>) {
  const label = labelOf({ ...props, field });
  const id = useId();
  const problem = problems.get(path);
  if (field.kind === 'boolean' && (field.optional || field.nullable) && typeof field.default !== 'boolean') {
    return (
      <Choose
        label={label}
        hint={field.description}
        problem={problems.get(path)}
        value={typeof draft === 'boolean' ? String(draft) : ''}
        onChoose={(value) => onDraft(value === '' ? undefined : value === 'true', path)}
        options={[
          ['', '(none)'],
          ['true', 'Yes'],
          ['false', 'No'],
        ]}
      />
    );
  }
  const isSet = field.kind === 'fixed' ? draft !== undefined : (draft ?? field.default) === true;
  const change = (checked: boolean): void => {
    if (field.kind === 'boolean') onDraft(checked, path);
    else onDraft(checked ? '' : undefined, path);
  };
  return (
    <div className="min-w-0 pt-[22px] narrow:pt-0">
      <Checkbox
        label={field.kind === 'fixed' ? `${label}: ${summarize(field.value)}` : label}
        checked={isSet}
        invalid={problem !== undefined}
        describedBy={(problem ?? field.description) === undefined ? undefined : id}
        onCheck={change}
      />
      <FieldNote id={id} hint={field.description} problem={problem} />
    </div>
  );
}

/** A choice between fixed values. */
export function ChoiceField({
  field,
  draft,
  path,
  problems,
  onDraft,
  ...props
}: InputFieldProps<FieldOf<'choice'>>) {
  const { options } = field;
  const none = field.default === undefined ? (placeholderOf(field) ?? 'choose') : summarize(field.default);
  return (
    <Choose
      label={labelOf({ ...props, field })}
      hint={field.description}
      problem={problems.get(path)}
      value={typeof draft === 'string' ? draft : ''}
      onChoose={(value) => onDraft(value === '' ? undefined : value, path)}
      options={[
        ['', `(${none})`],
        ...options.map((option, index) => [String(index), summarize(option, 80)] as const),
      ]}
    />
  );
}
