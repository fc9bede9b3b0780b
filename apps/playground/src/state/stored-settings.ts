import { defaultConnection, type ConnectionSettings } from '../model/connection.ts';
import { isRecord } from '../ui/data/is-record.ts';
import { mergeValues } from './documents/merge-values.ts';

export type ThemeChoice = 'system' | 'dark' | 'light';

/** The parts of the playground. */
export type View = 'script' | 'prompts' | 'evals';

export function isView(value: unknown): value is View {
  return value === 'script' || value === 'prompts' || value === 'evals';
}

/** The settings that are stored for the next visit. */
export type StoredSettings = {
  theme: ThemeChoice;
  /** Sizes of the panes in per cent, by pane id, for each set of panes that are open together. */
  layouts: Readonly<Record<string, Record<string, number>>>;
  /** True if the inspector is open beside a run. */
  inspectorOpen: boolean;
  /** True if the timeline is open below a run. */
  timelineOpen: boolean;
  /** True once the user has run or changed something here. */
  visited: boolean;
  connection: ConnectionSettings;
  /** The input of the last run of each script, by the name of its prompt. */
  inputs: Readonly<Record<string, unknown>>;
  /** The part that is open. */
  view: View;
};

export function settingsOf(state: StoredSettings): StoredSettings {
  const { theme, layouts, inspectorOpen, timelineOpen, visited, connection, inputs, view } = state;
  return { theme, layouts, inspectorOpen, timelineOpen, visited, connection, inputs, view };
}

/** The stored state, as far as its shape is valid; anything may have been written to the storage. */
export function readStored(value: unknown): Partial<StoredSettings> {
  if (typeof value !== 'object' || value === null) return {};
  const { theme, layouts, inspectorOpen, timelineOpen, visited, connection, inputs, view } = value as Record<
    string,
    unknown
  >;
  const stored: Partial<StoredSettings> = {};
  if (isView(view)) stored.view = view;
  if (theme === 'dark' || theme === 'light' || theme === 'system') stored.theme = theme;
  if (isRecord(layouts) && Object.values(layouts).every(isLayout)) {
    stored.layouts = layouts as StoredSettings['layouts'];
  }
  if (typeof inspectorOpen === 'boolean') stored.inspectorOpen = inspectorOpen;
  if (typeof timelineOpen === 'boolean') stored.timelineOpen = timelineOpen;
  if (visited === true) stored.visited = true;
  if (isRecord(inputs)) stored.inputs = inputs;
  const settings = readConnection(connection);
  if (settings !== undefined) stored.connection = settings;
  return stored;
}

/**
 * Merges the settings that this tab has changed since `base` into those that are stored: layouts, inputs and the parts
 * of the connection each for themselves.
 */
export function mergeSettings(base: StoredSettings, mine: StoredSettings, theirs: unknown): StoredSettings {
  return mergeValues(base, mine, { ...mine, ...readStored(theirs) }, 2);
}

function isLayout(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((size) => typeof size === 'number');
}

function readConnection(value: unknown): ConnectionSettings | undefined {
  const stored = value as Partial<ConnectionSettings> | null | undefined;
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { kind, openai, compatible } = stored;
  if (kind !== 'demo' && kind !== 'openai' && kind !== 'compatible') return undefined;
  const text = (candidate: unknown, fallback: string): string =>
    typeof candidate === 'string' ? candidate : fallback;
  return {
    kind,
    openai: {
      model: text(openai?.model, defaultConnection.openai.model),
      api: openai?.api === 'chat' ? 'chat' : 'responses',
      baseUrl: text(openai?.baseUrl, ''),
    },
    compatible: { model: text(compatible?.model, ''), baseUrl: text(compatible?.baseUrl, '') },
  };
}
