import { Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { Choose } from '../ui/form-controls.tsx';
import { summarize } from '../ui/format.ts';
import { isVariant, memberOf, pathOf, withMember, type Draft } from './draft.ts';
import { FieldGroup } from './field-group.tsx';
import { labelOf, placeholderOf, type InputFieldProps, type FieldOf } from './field-props.ts';
import { ChoiceField, ToggleField, TypedField } from './simple-fields.tsx';

/** The members of an object, as fields. */
export function InputFields(props: Omit<InputFieldProps<FieldOf<'object'>>, 'name'>) {
  const { field, draft, path, problems, onDraft } = props;
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2.5 *:flex-[1_1_200px]">
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

/** A value whose name is shown around it: of an object, only the members. */
export function RootField({ field, ...props }: InputFieldProps) {
  return field.kind === 'object' ? (
    <InputFields {...props} field={field} />
  ) : (
    <InputField {...props} field={field} />
  );
}

/** One field of the form, by its kind. */
export function InputField(props: InputFieldProps) {
  const { field } = props;
  switch (field.kind) {
    case 'fixed':
      return field.optional ? (
        <ToggleField {...props} field={field} />
      ) : (
        <div className="min-w-0">
          <p className="mb-1 text-sm font-medium">{labelOf(props)}</p>
          <p className="py-1 font-mono text-sm text-ink-2">{summarize(field.value)}</p>
        </div>
      );
    case 'boolean':
      return <ToggleField {...props} field={field} />;
    case 'choice':
      return <ChoiceField {...props} field={field} />;
    case 'text':
    case 'number':
    case 'json':
      return <TypedField {...props} field={field} />;
    case 'object':
      return <Members {...props} field={field} />;
    case 'list':
      return <List {...props} field={field} />;
    case 'union':
      return <Union {...props} field={field} />;
  }
}

function Members({ field, draft, path, problems, onDraft, ...props }: InputFieldProps<FieldOf<'object'>>) {
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

function List({ field, draft, path, problems, onDraft, ...props }: InputFieldProps<FieldOf<'list'>>) {
  const items = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  const label = labelOf({ ...props, field });
  const isFull = items.length >= (field.maxItems ?? MAX_ITEMS);
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

/** The most items of a list whose schema has no maximum. */
const MAX_ITEMS = 100;

function Union({ field, draft, path, problems, onDraft, ...props }: InputFieldProps<FieldOf<'union'>>) {
  const chosen = isVariant(draft) ? draft : undefined;
  const variant = chosen && field.variants[chosen.variant];
  const label = labelOf({ ...props, field });
  // a key that passes another kind must not delete what was typed
  const typed = useRef(new Map<number, Draft>());
  const choose = (value: string): void => {
    if (chosen !== undefined) typed.current.set(chosen.variant, chosen.value);
    const next = Number(value);
    onDraft(value === '' ? undefined : { variant: next, value: typed.current.get(next) }, path);
  };
  // the field of a variant that is no object shows the problem itself
  const problem = variant && variant.field.kind !== 'object' ? undefined : problems.get(path);
  return (
    <FieldGroup label={label} hint={field.description} problem={undefined}>
      <Choose
        label={`Kind of ${label}`}
        quiet
        value={chosen === undefined ? '' : String(chosen.variant)}
        onChoose={choose}
        problem={problem}
        options={[
          ['', `(${placeholderOf(field) ?? 'choose'})`],
          ...field.variants.map((one, index) => [String(index), one.label] as const),
        ]}
      />
      {chosen !== undefined && variant !== undefined && (
        <RootField
          name={variant.label}
          field={variant.field}
          draft={chosen.value}
          path={path}
          problems={problems}
          onDraft={(value, changed) => onDraft({ variant: chosen.variant, value }, changed)}
        />
      )}
    </FieldGroup>
  );
}
