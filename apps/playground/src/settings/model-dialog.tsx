import { Lock } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import { isSameJson } from '../input/same-json.ts';
import {
  connectionProblem,
  defaultConnection,
  OLLAMA_BASE_URL,
  OPENAI_BASE_URL,
  type ConnectionKeys,
  type ConnectionProblem,
  type ConnectionSettings,
} from '../model/connection.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';
import { Segment } from '../ui/segment.tsx';
import { Choice, Field } from './model-fields.tsx';

export function ModelDialog() {
  const open = usePlayground((state) => state.modelDialogOpen);
  const [isEdited, setEdited] = useState(false);
  const setOpen = (next: boolean): void => {
    setEdited(false);
    usePlayground.setState({ modelDialogOpen: next });
  };
  return (
    <Modal
      open={open}
      onOpenChange={setOpen}
      title="Model"
      description="The model that answers when you press Run."
      focusFirst="[role=radio][aria-checked=true]"
      hasText={isEdited}
    >
      <ModelForm onEdit={setEdited} onDone={() => setOpen(false)} />
    </Modal>
  );
}

/** Mounted when the dialog opens, so that it begins with the current settings and forgets unsaved ones. */
function ModelForm({ onEdit, onDone }: { onEdit: (isEdited: boolean) => void; onDone: () => void }) {
  const [settings, setSettings] = useState<ConnectionSettings>(() => usePlayground.getState().connection);
  const [keys, setKeys] = useState<ConnectionKeys>(() => usePlayground.getState().keys);
  const [problem, setProblem] = useState<ConnectionProblem>();
  const form = useRef<HTMLFormElement>(null);
  const message = (field: ConnectionProblem['field']) =>
    problem?.field === field ? problem.message : undefined;
  // a screen reader reads the field's problem when the field takes the focus
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [problem]);

  const edit = (next: { settings: ConnectionSettings; keys: ConnectionKeys }): void => {
    setSettings(next.settings);
    setKeys(next.keys);
    setProblem(undefined);
    const { connection, keys: storedKeys } = usePlayground.getState();
    onEdit(!isSameJson(next, { settings: connection, keys: storedKeys }));
  };
  const change = (next: Partial<ConnectionSettings>): void =>
    edit({ settings: { ...settings, ...next }, keys });
  const changeKey = (next: Partial<ConnectionKeys>): void => edit({ settings, keys: { ...keys, ...next } });

  const save = (): void => {
    const found = connectionProblem(settings, keys);
    setProblem(found);
    if (found !== undefined) return;
    usePlayground.setState({ connection: settings, keys });
    onDone();
  };

  return (
    <form
      ref={form}
      noValidate
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <RadioGroup.Root
        aria-label="Where answers come from"
        value={settings.kind}
        onValueChange={(kind) => change({ kind: kind as ConnectionSettings['kind'] })}
        className="grid gap-1.5 px-5"
      >
        <Choice
          value="demo"
          title="Demo model"
          badge="simulated"
          text="Built in. No key, no server, no network."
        />
        <Choice value="openai" title="OpenAI" text="Straight from this page to OpenAI, with your key." />
        <Choice
          value="compatible"
          title="OpenAI-compatible server"
          text="Ollama, LM Studio, vLLM, or another provider."
        />
      </RadioGroup.Root>

      {settings.kind === 'openai' && (
        <OpenAIFields
          settings={settings.openai}
          apiKey={keys.openai}
          onChange={(next) => change({ openai: { ...settings.openai, ...next } })}
          onKey={(key) => changeKey({ openai: key })}
          message={message}
        />
      )}
      {settings.kind === 'compatible' && (
        <CompatibleFields
          settings={settings.compatible}
          apiKey={keys.compatible}
          onChange={(next) => change({ compatible: { ...settings.compatible, ...next } })}
          onKey={(key) => changeKey({ compatible: key })}
          message={message}
        />
      )}

      <footer className="mt-5 flex items-center gap-3 border-t border-line px-5 py-3.5 narrow:flex-wrap">
        <p className="flex min-w-0 flex-1 items-start gap-2 text-sm text-ink-2 narrow:basis-full">
          <Lock className="mt-0.5 size-3.5 shrink-0 text-ink-3" />
          Keys stay in this tab’s memory: never stored, never in a link, never seen by the script.
        </p>
        <Button variant="outline" onClick={onDone} className="narrow:flex-1">
          Cancel
        </Button>
        <Button type="submit" variant="primary" className="narrow:flex-1">
          Use this model
        </Button>
      </footer>
    </form>
  );
}

type FieldsProps<Kind extends 'openai' | 'compatible'> = {
  settings: ConnectionSettings[Kind];
  apiKey: string;
  onChange: (next: Partial<ConnectionSettings[Kind]>) => void;
  onKey: (key: string) => void;
  message: (field: ConnectionProblem['field']) => string | undefined;
};

function OpenAIFields({ settings, apiKey, onChange, onKey, message }: FieldsProps<'openai'>) {
  return (
    <div className="grid gap-3.5 px-5 pt-4">
      <Field
        label="API key"
        secret
        value={apiKey}
        onChange={onKey}
        placeholder="sk-…"
        problem={message('key')}
      />
      <div className="grid grid-cols-[1fr_auto] gap-3 narrow:grid-cols-1">
        <Field
          label="Model id"
          value={settings.model}
          onChange={(model) => onChange({ model })}
          placeholder={defaultConnection.openai.model}
          problem={message('model')}
        />
        <Segment
          label="API"
          value={settings.api}
          onChange={(api) => onChange({ api })}
          options={[
            { value: 'responses', label: 'Responses' },
            { value: 'chat', label: 'Chat Completions' },
          ]}
        />
      </div>
      <Field
        label="Base URL"
        optional
        value={settings.baseUrl}
        onChange={(baseUrl) => onChange({ baseUrl })}
        placeholder={OPENAI_BASE_URL}
        problem={message('baseUrl')}
      />
    </div>
  );
}

function CompatibleFields({ settings, apiKey, onChange, onKey, message }: FieldsProps<'compatible'>) {
  return (
    <div className="grid gap-3.5 px-5 pt-4">
      <Field
        label="Base URL"
        value={settings.baseUrl}
        onChange={(baseUrl) => onChange({ baseUrl })}
        placeholder={OLLAMA_BASE_URL}
        problem={message('baseUrl')}
        hint={
          <>
            The server must allow this page’s origin; for Ollama start it with{' '}
            <code className="font-mono">OLLAMA_ORIGINS={location.origin}</code>
          </>
        }
      />
      <Field
        label="Model id"
        value={settings.model}
        onChange={(model) => onChange({ model })}
        placeholder="llama3.2"
        problem={message('model')}
      />
      <Field
        label="API key"
        optional
        secret
        value={apiKey}
        onChange={onKey}
        placeholder="Not needed for a local server"
        problem={message('key')}
      />
    </div>
  );
}
