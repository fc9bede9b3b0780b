import type { RunEvent, RunState } from '@cueline/core';
import type { SharedRun } from '@cueline/react';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { examples, isUnedited } from '../examples/index.ts';
import { defaultConnection, type ConnectionKeys } from '../model/connection.ts';
import type { ConsoleLevel } from '../sandbox/index.ts';
import {
  createTabMemory,
  isOfLink,
  isUnsaved,
  nameOf,
  newOpenScript,
  pageId,
  readTabMemory,
  type OpenScript,
  type OpenText,
  type ScriptOrigin,
} from './open-script.ts';
import type { RunClock } from './run-clock.ts';
import { createStorage } from './storage.ts';
import { mergeSettings, readStored, settingsOf, type StoredSettings } from './stored-settings.ts';

export type { ThemeChoice, View } from './stored-settings.ts';

/** What a run is of: a script, or a prompt of the library, whose link has the prompts, the choice and the values. */
export type RunSource = { readonly script: string } | { readonly prompts: unknown };

/** One turn of a conversation that is over: its log, and the state at its end. */
export type Turn = { readonly log: readonly RunEvent[]; readonly state: RunState };

/** Where a fork branches off: `step` is its first own step. */
export type ForkPoint = {
  readonly id: string;
  readonly turn: number;
  readonly step: number;
  /** The path of the agent whose step it is; missing for a step of the run itself. */
  readonly agent?: string | undefined;
};

/** One press of Run, and its replies. A new object for every start, so that React notices. */
export type RunSession = {
  /** Distinguishes one press of Run from the next. */
  readonly id: string;
  /** The last turn. */
  readonly run: SharedRun;
  /** The script or the prompt that ran. */
  readonly source: RunSource;
  /** The id, the origin and the name that the script had when it ran; missing for a prompt. */
  readonly openScript?: OpenScript | undefined;
  /** True for a run that is only shown, such as one that came in a link. */
  readonly shared: boolean;
  /** True for a run of an eval of this page. */
  readonly ofEval?: boolean | undefined;
  /** The link that opened it, as the hash of an address. */
  readonly link?: string | undefined;
  /** True for the recording that a first visitor sees. */
  readonly recorded?: boolean | undefined;
  /** The model's name in the interface. */
  readonly model: { name: string; detail: string };
  readonly simulated: boolean;
  /** The clock of the last turn. */
  readonly clock: RunClock;
  /** The turns before each reply, oldest first. */
  readonly earlier: readonly Turn[];
  /** The input of the first turn; missing if there is none, or if the log has it. */
  readonly input?: unknown;
  /** The session that this one continues from one of its steps; missing if it is not a fork. */
  readonly parent?: ForkPoint | undefined;
};

/** A line that a script wrote to the console. */
export type ConsoleLine = { level: ConsoleLevel; text: string };

/**
 * The notice above the editor: the origin of the script, or why a link was not opened. `tryAgain`: it may open later.
 */
export type Notice =
  | { kind: 'opening' }
  | { kind: 'opened'; from: 'link' | 'file' }
  | { kind: 'refused'; message: string; tryAgain?: () => void };

/** An error with a position in the script, from compiling or running it. */
export type Problem = {
  message: string;
  line?: number;
  column?: number;
  /** True if it ended the run; an error of a tool only goes to the model. */
  ended: boolean;
};

/** A request to show a position in the script; `nonce` distinguishes two requests for the same position. */
export type Reveal = { line: number; column: number; nonce: number };

/**
 * The state that changes slowly: the user's settings and what is open. The run's state, which changes every frame, is
 * elsewhere.
 */
export type PlaygroundState = StoredSettings & {
  script: string;
  /** The id, the origin and the name of the script. */
  openScript: OpenScript;
  /** The text that the script had when it was put into the editor. */
  openedText: string;
  /** The user's own script that was in the editor before an example, link or file. */
  previousScript: OpenText | undefined;
  /** What was in the editor before the script of a link, while that is unedited. */
  scriptBeforeLink: OpenText | undefined;
  /** The user's scripts that left the editor before they were stored. */
  leftUnsaved: readonly OpenText[];
  /** The stored runs that this tab shows, by view. */
  storedRuns: { readonly script?: string | undefined; readonly prompts?: string | undefined };
  /** True while the stored run of the last visit is being opened. */
  restoring: boolean;
  /** True while the recording for a first visitor is being loaded. */
  loadingRecording: boolean;
  keys: ConnectionKeys;
  /** The run in the Script view. */
  session: RunSession | undefined;
  problem: Problem | undefined;
  /** The console output of the last run's script. */
  console: readonly ConsoleLine[];
  notice: Notice | undefined;
  reveal: Reveal | undefined;
  /** The pane in front on a phone. */
  tab: 'editor' | 'run' | 'trace';
  /** The run in the Prompts view. */
  promptSession: RunSession | undefined;
  /** True while an evaluation is in progress. */
  evaluating: boolean;
  modelDialogOpen: boolean;
  /** True while the command palette is open. */
  commandsOpen: boolean;
  /** What is open over the page, apart from the choice of the model and the command palette. */
  dialog: 'history' | 'share' | 'rename' | 'versions' | undefined;

  edit(script: string): void;
  /** Puts a script from elsewhere into the editor. It becomes one of the user's own once it is edited. */
  replaceScript(script: string, from?: { origin: ScriptOrigin; name?: string | undefined }): void;
  /** Puts a known script into the editor, with the latest text that is not stored yet, if it has one. */
  openText(script: OpenText): void;
  /** Puts the user's own script into the editor again. */
  restoreScript(): void;
  showLine(line: number, column?: number): void;
};

const STORED_VERSION = 1;

let storageProblem: string | undefined;
let showProblem: ((message: string) => void) | undefined;

/** Sets the callback for the first storage failure, which may have happened already. */
export function onStorageProblem(show: (message: string) => void): void {
  // React may set it twice
  if (showProblem === undefined && storageProblem !== undefined) show(storageProblem);
  showProblem = show;
}

/** Reports the first storage failure. */
export function reportStorage(message: string): void {
  if (storageProblem !== undefined) return;
  storageProblem = message;
  showProblem?.(message);
}

const NAME = 'cueline:playground';
const storage = createStorage<StoredSettings>({ onProblem: reportStorage, merge: mergeSettings });
const memory = readTabMemory();
const [firstExample] = examples;

export const usePlayground = create<PlaygroundState>()(
  persist<PlaygroundState, [], [], StoredSettings>(
    (set, get) => ({
      script: memory?.text ?? firstExample!.source,
      openScript: memory?.open ?? newOpenScript('example', firstExample!.title),
      openedText: memory?.text ?? firstExample!.source,
      previousScript: memory?.previous,
      scriptBeforeLink: memory?.beforeLink,
      leftUnsaved: memory?.unsaved ?? [],
      storedRuns: memory?.runs ?? {},
      restoring: false,
      loadingRecording: false,
      theme: 'system',
      layouts: {},
      inspectorOpen: true,
      timelineOpen: true,
      visited: false,
      connection: defaultConnection,
      inputs: {},
      keys: { openai: '', compatible: '' },
      session: undefined,
      problem: undefined,
      console: [],
      notice: undefined,
      reveal: undefined,
      tab: 'editor',
      view: 'script',
      promptSession: undefined,
      evaluating: false,
      modelDialogOpen: false,
      commandsOpen: false,
      dialog: undefined,

      edit: (script) => {
        const { script: before, openScript } = get();
        if (script === before) return set({ problem: undefined });
        // a text that equals an example again, and was never stored, is not one of the user's own scripts
        const kept = openScript.revision > 0 || openScript.origin !== 'example' || !isUnedited(script);
        const { name, ...open } = openScript;
        // the title of an example does not fit an edited script
        const isNamed = name !== undefined && !(openScript.origin === 'example' && !openScript.kept);
        set({
          script,
          problem: undefined,
          visited: true,
          openScript: { ...open, ...(isNamed ? { name } : {}), kept, isSaved: false, writer: pageId },
        });
      },
      replaceScript: (script, { origin, name } = { origin: 'link' }) => {
        // The user's own script may return in a link, and stays the user's own.
        if (script === get().script) set({ problem: undefined, tab: 'editor', view: 'script' });
        else get().openText({ open: newOpenScript(origin, name), text: script });
      },
      openText: (known) => {
        const { script, openScript, previousScript, scriptBeforeLink } = get();
        const unsaved = unsavedScripts(get());
        const { open, text } = unsaved.find((one) => one.open.id === known.open.id) ?? known;
        const before = { open: openScript, text: script };
        const isMine = openScript.kept && script.trim() !== '' && openScript.id !== open.id;
        const previous = isMine ? before : previousScript;
        const beforeLink = isOfLink(openScript) ? scriptBeforeLink : before;
        set({
          script: text,
          openScript: open,
          openedText: text,
          previousScript: previous?.open.id === open.id || open.kept ? undefined : previous,
          scriptBeforeLink: isOfLink(open) ? beforeLink : undefined,
          leftUnsaved: unsaved.filter((one) => one.open.id !== open.id),
          problem: undefined,
          visited: true,
          notice: undefined,
          tab: 'editor',
          view: 'script',
        });
      },
      restoreScript: () => {
        const { previousScript } = get();
        if (previousScript !== undefined) get().openText(previousScript);
      },
      showLine: (line, column = 1) =>
        set({
          reveal: { line, column, nonce: (get().reveal?.nonce ?? 0) + 1 },
          tab: 'editor',
          view: 'script',
        }),
    }),
    {
      name: NAME,
      version: STORED_VERSION,
      storage,
      partialize: settingsOf,
      merge: (stored, initial) => ({ ...initial, ...readStored(stored) }),
    },
  ),
);

// the other settings of another tab wait for the next visit: nothing changes under the user's hands
storage.share(NAME, settingsOf(usePlayground.getState()), ({ theme }) => {
  if (theme !== usePlayground.getState().theme) usePlayground.setState({ theme });
});
/** The user's scripts whose text is not stored yet, the one in the editor first. */
export function unsavedScripts({
  openScript: open,
  script: text,
  leftUnsaved,
}: Pick<PlaygroundState, 'openScript' | 'script' | 'leftUnsaved'>): readonly OpenText[] {
  return isUnsaved(open) ? [{ open, text }, ...leftUnsaved] : leftUnsaved;
}

const remember = createTabMemory(reportStorage);
usePlayground.subscribe((state, before) => {
  const { openScript, script, previousScript, scriptBeforeLink, leftUnsaved, storedRuns } = state;
  if (
    openScript === before.openScript &&
    script === before.script &&
    previousScript === before.previousScript &&
    scriptBeforeLink === before.scriptBeforeLink &&
    leftUnsaved === before.leftUnsaved &&
    storedRuns === before.storedRuns
  )
    return;
  remember({
    open: openScript,
    text: script,
    previous: previousScript,
    beforeLink: scriptBeforeLink,
    unsaved: leftUnsaved,
    runs: storedRuns,
  });
});

/**
 * A script from a link or a file. The page does not load it before the user runs it, edits it or asks for its preview.
 */
export function isForeign({ script, openScript, session }: PlaygroundState): boolean {
  const wasRun = session?.shared === false && 'script' in session.source && session.source.script === script;
  const cameFrom = openScript.origin === 'link' || openScript.origin === 'file';
  return cameFrom && !openScript.kept && !isUnedited(script) && !wasRun;
}

/** The script in the editor, seen from a run: the one that ran, edited since or not, or another one. */
export function compareScript(
  { script, openScript, openedText }: PlaygroundState,
  { source, openScript: ran }: RunSession,
): 'same' | 'edited' | 'other' {
  if (!('script' in source) || source.script === script) return 'same';
  return openScript.id === ran?.id || openedText === source.script ? 'edited' : 'other';
}

export function scriptNameOf({ source, openScript: open }: RunSession): string | undefined {
  return open !== undefined && 'script' in source ? nameOf({ open, text: source.script }) : undefined;
}

/** The run of the open view; undefined in the Evals view, which has many. */
export function currentSession({ view, session, promptSession }: PlaygroundState): RunSession | undefined {
  return view === 'script' ? session : view === 'prompts' ? promptSession : undefined;
}
