import { CircleAlert, Plus } from 'lucide-react';
import { useRef, useState, type ReactNode, type Ref } from 'react';
import { Button } from '../ui/button.tsx';
import { Choose, TextArea, TextInput } from '../ui/form-controls.tsx';
import { visibleText } from '../ui/visible-text.ts';
import type { PromptFault } from './check-prompts.ts';
import { undeclaredNames, type EditablePrompt } from './editable-prompt.ts';
import { ParameterFields } from './parameter-fields.tsx';
import { addParameter, removeParameter, usePrompts, type ParameterList } from './store.ts';

type PromptFormProps = {
  prompt: EditablePrompt;
  faults: readonly PromptFault[];
  /** Gets the field of the name. */
  nameRef: Ref<HTMLInputElement>;
  actions: ReactNode;
};

/** In a narrow form, a field whose text is long has a row of its own. */
const alone = '@max-[360px]:col-span-full';

/** One version of a prompt as a form. Each fault is beside its field. */
export function PromptForm({ prompt, faults, nameRef, actions }: PromptFormProps) {
  const edit = usePrompts((state) => state.edit);
  const problem = (path: string): string | undefined => {
    const fault = faults.find((one) => one.path === path);
    return fault === undefined ? undefined : `The ${nameOf(path)} ${fault.message}.`;
  };
  const [describes, setDescribes] = useState(prompt.description !== undefined);
  const others = faults.filter(({ path }) => !fieldPaths.test(path));
  return (
    <div className="mx-auto grid max-w-[760px] gap-4 p-4 narrow:p-3">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 truncate text-xl font-semibold tracking-tight @max-[480px]:basis-full">
          {visibleText(prompt.name || prompt.id)}
        </p>
        {actions}
      </div>
      {others.length > 0 && (
        <ul className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {others.map(({ path, message }, index) => (
            <li key={index} className="flex gap-2">
              <CircleAlert className="mt-[3px] size-3.5 shrink-0" />
              <span className="wrap-anywhere">
                {path} {message}.
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="grid grid-cols-[1.2fr_1.5fr_0.6fr_0.9fr] gap-3 @max-[480px]:grid-cols-[0.85fr_1fr]">
        <TextInput
          label="Name"
          ref={nameRef}
          value={prompt.name}
          onText={(name) => edit({ name })}
          problem={problem('name')}
          className={alone}
        />
        <TextInput
          label="Id"
          code
          value={prompt.id}
          onText={(id) => edit({ id })}
          problem={problem('id')}
          className={alone}
        />
        <TextInput
          label="Version"
          code
          value={prompt.version}
          onText={(version) => edit({ version })}
          problem={problem('version')}
          // in one row with the others, the column is too narrow for a sentence, and below the status there is room
          className="[&>p]:-mr-24 @max-[480px]:[&>p]:mr-0"
        />
        <Choose
          label="Status"
          value={prompt.status}
          onChoose={(status) => edit({ status })}
          options={['draft', 'active', 'deprecated']}
        />
      </div>
      {describes ? (
        <TextInput
          label="Description"
          value={prompt.description ?? ''}
          onText={(description) => edit({ description })}
          problem={problem('description')}
        />
      ) : (
        <Button className="-mt-2 -ml-2.5 justify-self-start" onClick={() => setDescribes(true)}>
          <Plus />
          Describe this prompt
        </Button>
      )}
      <TextSection
        prompt={prompt}
        title="System prompt"
        text="systemPrompt"
        list="systemPromptParameters"
        placeholder="Instructions that hold for every message. Optional."
        problem={problem}
      />
      <TextSection
        prompt={prompt}
        title="User message"
        text="userPrompt"
        list="userPromptParameters"
        placeholder="What is asked. {NAME} stands for a parameter."
        problem={problem}
      />
    </div>
  );
}

/** The faults that have a field of their own. */
const fieldPaths =
  /^(name|id|version|status|description|systemPrompt|userPrompt|(system|user)PromptParameters\[\d+\]\.(name|type|description|required|defaultValue|allowedValues)(\[\d+\])?)$/;

/** The last member of a path, in words. */
function nameOf(path: string): string {
  const last = path
    .split('.')
    .at(-1)!
    .replace(/\[\d+\]$/, '');
  if (last === 'allowedValues') return 'list of allowed values';
  return last.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

type TextSectionProps = {
  prompt: EditablePrompt;
  title: string;
  text: 'systemPrompt' | 'userPrompt';
  list: ParameterList;
  placeholder: string;
  problem: (path: string) => string | undefined;
};

/** One of the two texts, with its parameters. */
function TextSection({ prompt, title, text, list, placeholder, problem }: TextSectionProps) {
  const edit = usePrompts((state) => state.edit);
  const undeclared = undeclaredNames(prompt[text], prompt[list]);
  const addButton = useRef<HTMLButtonElement>(null);
  /** The position of a new parameter, whose name takes the focus. */
  const added = useRef<number>(undefined);
  const add = (name: string): void => {
    added.current = prompt[list].length;
    addParameter(list, name);
  };
  return (
    <fieldset className="grid min-w-0 gap-2 border-t border-line pt-3">
      <legend className="sr-only">{title}</legend>
      <TextArea
        label={title}
        value={prompt[text]}
        onText={(value) => edit({ [text]: value })}
        placeholder={placeholder}
        rows={3}
        problem={problem(text)}
      />
      {prompt[list].map((parameter, index) => (
        // a row is identified by its position in the list, even while its name is edited
        <ParameterFields
          key={`${index}-${prompt[list].length}`}
          list={list}
          index={index}
          parameter={parameter}
          problem={(member) => memberProblem(problem, `${list}[${index}].${member}`)}
          onRemove={() => {
            removeParameter(list, index);
            addButton.current?.focus();
          }}
          nameRef={(field) => {
            if (field === null || added.current !== index) return;
            added.current = undefined;
            field.focus();
          }}
        />
      ))}
      <div className="flex flex-wrap gap-1.5">
        {undeclared.map((name) => (
          <Button key={name} variant="outline" onClick={() => add(name)}>
            <Plus />
            Declare {`{${name}}`}
          </Button>
        ))}
        <Button ref={addButton} className={undeclared.length === 0 ? '-ml-2.5' : ''} onClick={() => add('')}>
          <Plus />
          Add a parameter
        </Button>
      </div>
    </fieldset>
  );
}

/** The problem of a member, or of the first value in it. */
function memberProblem(problem: (path: string) => string | undefined, path: string): string | undefined {
  const own = problem(path);
  if (own !== undefined) return own;
  for (let index = 0; index < 1_000; index++) {
    const inner = problem(`${path}[${index}]`);
    if (inner !== undefined) return inner;
    if (!path.endsWith('allowedValues')) return undefined;
  }
  return undefined;
}
