import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { defaultConnection, type ConnectionKeys, type ConnectionSettings } from '../model/connection.ts';
import { examples, isUnedited } from '../examples/index.ts';
import type { ConsoleLine, RunSession } from './run-session.ts';
import { createStorage } from './storage.ts';

export type ThemeChoice = 'system' | 'dark' | 'light';

/** What is shown above the editor about where the script came from, or why a link was not opened. */
export type Notice =
  | { kind: 'opening' }
  | { kind: 'opened'; from: 'link' | 'file' }
  | { kind: 'refused'; message: string };

/** An error with a place in the script, from compiling or running it. */
export type Problem = {
  message: string;
  line?: number;
  column?: number;
  /** True where it ended the run; a tool that throws only tells the model. */
  ended: boolean;
};

/** A wish to see a place in the script; `nonce` makes two wishes for the same place two. */
export type Reveal = { line: number; column: number; nonce: number };

/** Slow state: what the person set and has open. The state of a run, which changes every frame, is not in here. */
export type PlaygroundState = {
  script: string;
  /** The person's own script that an example, link or file took the place of. */
  previousScript: string | undefined;
  /** The script that came last from elsewhere, as it came; while it is unedited it is not the person's own. */
  arrivedScript: string | undefined;
  theme: ThemeChoice;
  /** Widths of the panes in per cent, by pane id. */
  layout: Record<string, number> | undefined;
  connection: ConnectionSettings;

  keys: ConnectionKeys;
  session: RunSession | undefined;
  problem: Problem | undefined;
  /** What the script of the last run wrote to the console. */
  console: readonly ConsoleLine[];
  notice: Notice | undefined;
  reveal: Reveal | undefined;
  /** Which pane is in front where only one has room. */
  tab: 'script' | 'run';
  modelDialogOpen: boolean;

  edit(script: string): void;
  /** Puts another script in place; what the person wrote is kept for {@link PlaygroundState.restoreScript}. */
  replaceScript(script: string): void;
  restoreScript(): void;
  showLine(line: number, column?: number): void;
};

const STORED_VERSION = 1;
type Stored = Pick<
  PlaygroundState,
  'script' | 'previousScript' | 'arrivedScript' | 'theme' | 'layout' | 'connection'
>;

let reportStorageProblem: (message: string) => void = () => {};
/** Says who tells the person that nothing can be stored. */
export function onStorageProblem(report: (message: string) => void): void {
  reportStorageProblem = report;
}

const storage = createStorage<Stored>({
  // After this turn, because reading happens while the store is made, before anyone could listen.
  onProblem: (message) => setTimeout(() => reportStorageProblem(message)),
});

/** Writes what is waiting to be stored; for a page that is about to go away. */
export const flushStorage: () => void = storage.flush;

export const usePlayground = create<PlaygroundState>()(
  persist(
    (set, get) => ({
      script: examples[0]!.source,
      previousScript: undefined,
      arrivedScript: undefined,
      theme: 'system',
      layout: undefined,
      connection: defaultConnection,
      keys: { openai: '', compatible: '' },
      session: undefined,
      problem: undefined,
      console: [],
      notice: undefined,
      reveal: undefined,
      tab: 'script',
      modelDialogOpen: false,

      edit: (script) => set({ script, problem: undefined }),
      replaceScript: (script) => {
        const { script: current, arrivedScript } = get();
        // One's own script may come back as a link, and stays one's own.
        const isNew = current !== script;
        const mine = isNew && current !== arrivedScript && !isUnedited(current) && current.trim() !== '';
        set({
          script,
          problem: undefined,
          tab: 'script',
          ...(isNew ? { arrivedScript: script } : {}),
          ...(mine ? { previousScript: current } : {}),
        });
      },
      restoreScript: () => {
        const { previousScript } = get();
        if (previousScript === undefined) return;
        set({
          script: previousScript,
          previousScript: undefined,
          arrivedScript: undefined,
          problem: undefined,
          notice: undefined,
        });
      },
      showLine: (line, column = 1) =>
        set({ reveal: { line, column, nonce: (get().reveal?.nonce ?? 0) + 1 }, tab: 'script' }),
    }),
    {
      name: 'cueline:playground',
      version: STORED_VERSION,
      storage,
      partialize: ({ script, previousScript, arrivedScript, theme, layout, connection }): Stored => ({
        script,
        previousScript,
        arrivedScript,
        theme,
        layout,
        connection,
      }),
      merge: (stored, initial) => ({ ...initial, ...readStored(stored) }),
    },
  ),
);

/** What was stored, as far as it has the shape that it should have; anyone may have written to the storage. */
export function readStored(value: unknown): Partial<Stored> {
  if (typeof value !== 'object' || value === null) return {};
  const { script, previousScript, arrivedScript, theme, layout, connection } = value as Record<
    string,
    unknown
  >;
  const stored: Partial<Stored> = {};
  if (typeof script === 'string') stored.script = script;
  if (typeof previousScript === 'string') stored.previousScript = previousScript;
  if (typeof arrivedScript === 'string') stored.arrivedScript = arrivedScript;
  if (theme === 'dark' || theme === 'light' || theme === 'system') stored.theme = theme;
  if (
    typeof layout === 'object' &&
    layout !== null &&
    Object.values(layout).every((size) => typeof size === 'number')
  ) {
    stored.layout = layout as Record<string, number>;
  }
  const settings = readConnection(connection);
  if (settings !== undefined) stored.connection = settings;
  return stored;
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
