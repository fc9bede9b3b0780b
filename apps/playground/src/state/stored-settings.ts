import { defaultConnection, type ConnectionSettings } from '../model/connection.ts';
import type { PlaygroundState } from './store.ts';

const names = [
  'theme',
  'layouts',
  'inspectorOpen',
  'timelineOpen',
  'visited',
  'connection',
  'inputs',
  'view',
] as const;

/** The settings that are stored for the next visit. */
export type StoredSettings = Pick<PlaygroundState, (typeof names)[number]>;

/** The settings to store. */
export function settingsOf(state: PlaygroundState): StoredSettings {
  return Object.fromEntries(names.map((name) => [name, state[name]])) as StoredSettings;
}

/** The stored state, as far as its shape is valid; anything may have been written to the storage. */
export function readStored(value: unknown): Partial<StoredSettings> {
  if (typeof value !== 'object' || value === null) return {};
  const { theme, layouts, inspectorOpen, timelineOpen, visited, connection, inputs, view } = value as Record<
    string,
    unknown
  >;
  const stored: Partial<StoredSettings> = {};
  if (view === 'script' || view === 'prompts' || view === 'evals') stored.view = view;
  if (theme === 'dark' || theme === 'light' || theme === 'system') stored.theme = theme;
  if (isRecord(layouts) && Object.values(layouts).every(isLayout)) {
    stored.layouts = layouts as PlaygroundState['layouts'];
  }
  if (typeof inspectorOpen === 'boolean') stored.inspectorOpen = inspectorOpen;
  if (typeof timelineOpen === 'boolean') stored.timelineOpen = timelineOpen;
  if (visited === true) stored.visited = true;
  if (isRecord(inputs) && !Array.isArray(inputs)) stored.inputs = inputs;
  const settings = readConnection(connection);
  if (settings !== undefined) stored.connection = settings;
  return stored;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
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
