import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Checkbox, Choose, TextArea, TextInput } from '../ui/form.tsx';
import { summarize } from '../ui/format.ts';
import { isVariant, memberOf, pathOf, withMember, type Draft } from './draft.ts';
import { FieldGroup, FieldNote } from './field-group.tsx';
import type { Field } from './schema-fields.ts';

type Of<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

type InputFieldProps<One extends Field = Field> = {
  name: string;
  field: One;
  draft: Draft;
  path: string;
  /** Messages by path. */
  problems: ReadonlyMap<string, string>;
  /** Gets the new draft of this field, and the path of what was changed in it. */
  onDraft: (draft: Draft, path: string) => void;
};

/** The members of an object, as fields. */
export function InputFields(props: Omit<InputFieldProps<Of<'object'>>, 'name'>) {
  const { field, draft, path, problems, onDraft } = props;
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(200px,100%),1fr))] items-start gap-x-3 gap-y-2.5">
      {field.fields.map((member) => (
        <InputField
          key={member.name}
          name={member.name}
          field={member.field}
          draft={memberOf(draft, member.name)}
          path={pathOf(path, member.name)}
          problems={problems}
          onDraft={(next, changed) => onDraft(withMember(draft, member.name, next), changed)}
        />
      ))}
    </div>
  );
}

/** One field of the form, by its kind. */
export function InputField(props: InputFieldProps) {
  const { field } = props;
  switch (field.kind) {
    case 'fixed':
      return field.optional ? (
        <Toggle {...props} field={field} />
      ) : (
        <div className="min-w-0">
          <p className="mb-1 text-sm font-medium">{labelOf(props)}</p>
          <p className="py-1 font-mono text-sm text-ink-2">{summarize(field.value)}</p>
        </div>
      );
    case 'boolean':
      return <Toggle {...props} field={field} />;
    case 'choice':
      return <Choice {...props} field={field} />;
    case 'text':
    case 'number':
    case 'json':
      return <Typed {...props} field={field} />;
    case 'object':
      return <Members {...props} field={field} />;
    case 'list':
      return <List {...props} field={field} />;
    case 'union':
      return <Union {...props} field={field} />;
  }
}

function labelOf({ name, field }: Pick<InputFieldProps, 'name' | 'field'>): string {
  return field.title ?? name;
}

/** What stands in an empty field: the default, or that it may stay empty. */
function placeholderOf({ optional, nullable, ...field }: Field): string | undefined {
  if (field.default !== undefined) return summarize(field.default);
  return optional ? 'optional' : nullable ? 'none' : undefined;
}

function Typed({
  field,
  draft,
  path,
  problems,
  onDraft,
  ...props
}: InputFieldProps<Of<'text' | 'number' | 'json'>>) {
  const placeholder = placeholderOf(field);
  const shared = {
    label: labelOf({ ...props, field }),
    value: typeof draft === 'string' ? draft : '',
    // an emptied field that may be empty is left out
    onText: (text: string) => onDraft(text === '' && field.kind !== 'text' ? undefined : text, path),
    problem: problems.get(path),
    hint: [field.description, boundsOf(field)].filter(Boolean).join(' · ') || undefined,
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
    const example = placeholder ?? '{ "…": "…" }';
    return <TextArea {...shared} code rows={2} placeholder={example} className="col-span-full" />;
  }
  const { format, maxLength = Infinity } = field;
  if (format === 'date' || format === 'email' || format === 'uri' || maxLength <= SHORT_TEXT) {
    return <TextInput {...shared} type={format === 'date' ? 'date' : 'text'} />;
  }
  return <TextArea {...shared} rows={1} style={{ resize: 'none' }} />;
}

/** The most characters of a text that has one line. */
const SHORT_TEXT = 120;

function boundsOf(field: Of<'text' | 'number' | 'json'>): string | undefined {
  if (field.kind !== 'number') return undefined;
  const { minimum, maximum, above, below } = field;
  const from = minimum ?? above;
  const to = maximum ?? below;
  if (from === undefined && to === undefined) return undefined;
  if (to === undefined) return above === undefined ? `${from} or more` : `more than ${from}`;
  if (from === undefined) return below === undefined ? `${to} or less` : `less than ${to}`;
  return `${from} to ${to}`;
}

function Toggle({
  field,
  draft,
  path,
  problems,
  onDraft,
  ...props
}: InputFieldProps<Of<'boolean' | 'fixed'>>) {
  const label = labelOf({ ...props, field });
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
        onCheck={change}
      />
      <FieldNote hint={field.description} problem={problems.get(path)} />
    </div>
  );
}

function Choice({ field, draft, path, problems, onDraft, ...props }: InputFieldProps<Of<'choice'>>) {
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

function Members({ field, draft, path, problems, onDraft, ...props }: InputFieldProps<Of<'object'>>) {
  const label = labelOf({ ...props, field });
  const canBeLeftOut = field.optional || field.nullable;
  const isLeftOut = draft === undefined && canBeLeftOut;
  return (
    <FieldGroup
      label={label}
      hint={field.description}
      problem={problems.get(path)}
      action={
        canBeLeftOut && (
          <Button onClick={() => onDraft(isLeftOut ? {} : undefined, path)}>
            {isLeftOut ? <Plus /> : <Trash2 />}
            {isLeftOut ? `Add ${label}` : 'Leave out'}
          </Button>
        )
      }
    >
      {!isLeftOut && <InputFields {...{ field, draft, path, problems, onDraft }} />}
    </FieldGroup>
  );
}

function List({ field, draft, path, problems, onDraft, ...props }: InputFieldProps<Of<'list'>>) {
  const items = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  const label = labelOf({ ...props, field });
  const isFull = items.length >= (field.maxItems ?? MOST_ITEMS);
  const withoutItem = (index: number): readonly Draft[] => items.filter((_, at) => at !== index);
  const placeholder = field.default === undefined ? undefined : `Default: ${summarize(field.default)}`;
  return (
    <FieldGroup
      label={label}
      hint={field.description ?? (items.length === 0 ? placeholder : undefined)}
      problem={problems.get(path)}
      action={
        <Button
          disabled={isFull}
          onClick={() => onDraft([...items, undefined], path)}
          aria-label={`Add to ${label}`}
        >
          <Plus />
          Add
        </Button>
      }
    >
      {items.map((item, index) => (
        <div key={index} className="flex items-start gap-1.5">
          <div className="min-w-0 flex-1">
            <InputField
              name={`${label} ${index + 1}`}
              field={field.item}
              draft={item}
              path={pathOf(path, index)}
              problems={problems}
              onDraft={(next, changed) => onDraft(items.with(index, next), changed)}
            />
          </div>
          <Button
            square
            aria-label={`Remove ${label} ${index + 1}`}
            className="mt-[22px]"
            onClick={() => {
              const rest = withoutItem(index);
              onDraft(rest.length === 0 && field.optional ? undefined : rest, path);
            }}
          >
            <Trash2 />
          </Button>
        </div>
      ))}
    </FieldGroup>
  );
}

/** The most items of a list that has no bound of its own. */
const MOST_ITEMS = 100;

function Union({ field, draft, path, problems, onDraft, ...props }: InputFieldProps<Of<'union'>>) {
  const chosen = isVariant(draft) ? draft : undefined;
  const variant = chosen && field.variants[chosen.variant];
  const label = labelOf({ ...props, field });
  return (
    <FieldGroup label={label} hint={field.description} problem={variant ? undefined : problems.get(path)}>
      <Choose
        label={`Kind of ${label}`}
        quiet
        value={chosen === undefined ? '' : String(chosen.variant)}
        onChoose={(value) =>
          onDraft(value === '' ? undefined : { variant: Number(value), value: undefined }, path)
        }
        options={[
          ['', `(${placeholderOf(field) ?? 'choose'})`],
          ...field.variants.map((one, index) => [String(index), one.label] as const),
        ]}
      />
      {chosen !== undefined && variant !== undefined && variant.field.kind === 'object' ? (
        <InputFields
          field={variant.field}
          draft={chosen.value}
          path={path}
          problems={problems}
          onDraft={(value, changed) => onDraft({ variant: chosen.variant, value }, changed)}
        />
      ) : (
        chosen !== undefined &&
        variant !== undefined && (
          <InputField
            name={variant.label}
            field={variant.field}
            draft={chosen.value}
            path={path}
            problems={problems}
            onDraft={(value, changed) => onDraft({ variant: chosen.variant, value }, changed)}
          />
        )
      )}
    </FieldGroup>
  );
}
