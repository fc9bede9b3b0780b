import Editor, { type OnMount } from '@monaco-editor/react';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { lazyComponent } from '../panes/lazy-component.tsx';
import { usePreview } from '../state/preview.ts';
import { usePlayground } from '../state/store.ts';
import { shownTheme, useTheme } from '../state/theme.ts';
import { useRunDetails } from '../state/use-run-details.ts';
import { prefersReducedMotion } from '../ui/reduced-motion.ts';
import { leaveEditorKeys } from './leave-editor-keys.ts';
import { createScriptModel, firstCheck, forgetOldModels, monaco, prepareStyles } from './monaco.ts';
import type { Checked } from './problems.tsx';
import { scriptPath } from './script-path.ts';
import { endWaitForEditor } from './wait-for-editor.ts';

type CodeEditor = Parameters<OnMount>[0];
type Model = NonNullable<ReturnType<CodeEditor['getModel']>>;
/** Connects the lines with a run. It parses scripts, so its code is large and loads later. It draws nothing itself. */
const SourceLines = lazyComponent(
  () => import('./source-lines.tsx').then((it) => it.SourceLines),
  null,
  null,
);

/** The owner of the markers for compiling and running the script, apart from those of its types. */
const MARKER_OWNER = 'cueline';

const options = {
  fontSize: 13,
  lineHeight: 20,
  fontFamily:
    "'JetBrains Mono Variable', ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  tabSize: 2,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  automaticLayout: true,
  padding: { top: 12, bottom: 12 },
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 12,
  glyphMargin: false,
  folding: true,
  renderLineHighlight: 'line',
  overviewRulerLanes: 0,
  fixedOverflowWidgets: true,
  smoothScrolling: false,
  wordWrap: 'on',
  wrappingIndent: 'indent',
  lightbulb: { enabled: monaco.editor.ShowLightbulbIconMode.Off },
  // Letters that only look like ASCII are common in prompts; invisible ones are not.
  unicodeHighlight: { ambiguousCharacters: false, nonBasicASCII: false, invisibleCharacters: true },
  bracketPairColorization: { enabled: false },
  stickyScroll: { enabled: false },
  quickSuggestions: { strings: false, comments: false, other: true },
  scrollbar: {
    verticalScrollbarSize: 10,
    horizontalScrollbarSize: 10,
    useShadows: false,
    // at the end of the script, the wheel scrolls a page that is taller than the window, as when zoomed
    alwaysConsumeMouseWheel: false,
  },
  cursorBlinking: prefersReducedMotion() ? 'solid' : 'blink',
  ariaLabel: `Prompt script. ${leaveEditorKeys} lets Tab leave the editor.`,
} as const;

/** Creating an editor takes long, so its model is attached in a later task. */
const optionsAtFirst = { ...options, model: null };

/**
 * Prepares what the editor needs in a separate task of the event loop, because creating the editor already takes
 * long.
 */
export async function prepareEditor(): Promise<void> {
  const { script, openScript } = usePlayground.getState();
  createScriptModel(script, scriptPath(openScript.id));
  prepareStyles(`cueline-${shownTheme()}`, options);
  await new Promise((resolve) => setTimeout(resolve));
}

/** Calls `then` once the browser has painted the next frame. It paints none while the page is hidden. */
function afterFrame(then: () => void): void {
  requestAnimationFrame(() => setTimeout(then));
}

/**
 * The cursor, the folds and the scroll position of the last editor that was removed, with the script that it showed.
 */
let viewBefore: { uri: string; view: ReturnType<CodeEditor['saveViewState']> } | undefined;

/** Gives a new editor the model with this path. False if the editor has been removed again. */
function attach(editor: CodeEditor, path: string): boolean {
  if (!editor.getContainerDomNode().isConnected) return false;
  const model = monaco.editor.getModel(monaco.Uri.parse(path));
  const { script, openScript } = usePlayground.getState();
  // the script may have changed since its model was created
  const isOlder = path === scriptPath(openScript.id) && model?.getValue() !== script;
  if (isOlder) model?.setValue(script);
  editor.setModel(model);
  if (viewBefore?.uri === model?.uri.toString()) editor.restoreViewState(viewBefore?.view ?? null);
  afterFrame(endWaitForEditor);
  return true;
}

type ScriptEditorProps = {
  onChecked: (checked: Checked) => void;
  fallback: ReactNode;
};

/** The Monaco editor with the script. It loads separately, because it is the heaviest part of the page. */
export default function ScriptEditor({ onChecked, fallback }: ScriptEditorProps) {
  const script = usePlayground((state) => state.script);
  const path = usePlayground((state) => scriptPath(state.openScript.id));
  const edit = usePlayground((state) => state.edit);
  const reveal = usePlayground((state) => state.reveal);
  const theme = useTheme();
  const [editor, setEditor] = useState<CodeEditor>();
  // Monaco shows this text until its own text model is attached
  const [first] = useState({ script, path });
  const session = useRunDetails(
    usePlayground((state) => state.session),
    'lines',
  );
  const previews = usePreview(({ open }) => open);
  const [connects, setConnects] = useState(false);
  // connects from the first run or preview on: before it, there is nothing to mark
  if (!connects && (session !== undefined || previews)) setConnects(true);
  const shown = useRef(0);

  useEffect(() => {
    if (editor === undefined || reveal === undefined || reveal.nonce === shown.current) return;
    shown.current = reveal.nonce;
    const position = { lineNumber: reveal.line, column: reveal.column };
    editor.setPosition(position);
    editor.revealPositionInCenterIfOutsideViewport(position);
    editor.focus();
  }, [editor, reveal]);

  useEffect(() => {
    // Monaco keeps the widths that it measured before the font had loaded.
    document.fonts.load(`${options.fontSize}px 'JetBrains Mono Variable'`).then(
      () => monaco.editor.remeasureFonts(),
      // if the font does not load, the widths of the fallback are right
      () => {},
    );
  }, []);
  useEffect(() => {
    if (editor === undefined) return undefined;
    // A phone's keyboard makes the page smaller: keep the cursor's line in view above it.
    const resized = editor.onDidLayoutChange(() => {
      const position = editor.getPosition();
      if (position === null || !editor.hasTextFocus()) return;
      editor.revealPosition(position);
      // a page that is taller than the window scrolls, too
      const line = editor.getScrolledVisiblePosition(position);
      const top = editor.getDomNode()?.getBoundingClientRect().top;
      if (line === null || top === undefined) return;
      scrollBy(0, Math.max(0, top + line.top + line.height - innerHeight));
    });
    return () => resized.dispose();
  }, [editor]);
  useSameCursor(editor, path);
  useLayoutEffect(
    () => () => {
      const shown = editor?.getModel()?.uri.toString();
      if (editor !== undefined && shown !== undefined)
        viewBefore = { uri: shown, view: editor.saveViewState() };
    },
    [editor],
  );
  const model = useModel(editor);
  useProblemMarker(model);
  useDiagnostics(model, onChecked);

  return (
    <>
      <Editor
        // gives the theme's colors to the menu, too, which Monaco puts beside the editor
        className="monaco-component"
        path={editor === undefined ? first.path : path}
        language="typescript"
        theme={`cueline-${theme}`}
        value={editor === undefined ? first.script : script}
        onChange={(value) => edit(value ?? '')}
        onMount={(mounted) => setTimeout(() => attach(mounted, first.path) && setEditor(mounted))}
        loading={fallback}
        options={optionsAtFirst}
        // the script keeps its undo history while another view is open
        keepCurrentModel
      />
      {editor !== undefined && connects && (
        <SourceLines editor={editor} session={session} previews={previews} />
      )}
    </>
  );
}

/** Keeps the cursor where it is if the script becomes another one with the same text, such as its own copy. */
function useSameCursor(editor: CodeEditor | undefined, path: string): void {
  const before = useRef<{ text: string; view: ReturnType<CodeEditor['saveViewState']> }>(undefined);
  // a layout effect runs before Monaco gets the other model, and an effect after it
  useLayoutEffect(() => {
    if (editor !== undefined) before.current = { text: editor.getValue(), view: editor.saveViewState() };
  }, [editor, path]);
  useEffect(() => {
    if (editor?.getValue() === before.current?.text) editor?.restoreViewState(before.current?.view ?? null);
  }, [editor, path]);
}

/** The model of the script in the editor. */
function useModel(editor: CodeEditor | undefined): Model | undefined {
  const [model, setModel] = useState<Model>();
  useEffect(() => {
    if (editor === undefined) return undefined;
    const show = (): void => {
      const shown = editor.getModel() ?? undefined;
      setModel(shown);
      if (shown !== undefined) forgetOldModels(shown);
    };
    show();
    const listener = editor.onDidChangeModel(show);
    return () => listener.dispose();
  }, [editor]);
  return model;
}

/** Marks the line at which compiling or running the script failed. */
function useProblemMarker(shown: Model | undefined): void {
  const problem = usePlayground((state) => state.problem);
  useEffect(() => {
    if (shown === undefined) return;
    const model = shown;
    if (problem?.line === undefined) {
      monaco.editor.setModelMarkers(model, MARKER_OWNER, []);
      return;
    }
    const line = Math.min(Math.max(problem.line, 1), model.getLineCount());
    monaco.editor.setModelMarkers(model, MARKER_OWNER, [
      {
        severity: problem.ended ? monaco.MarkerSeverity.Error : monaco.MarkerSeverity.Warning,
        message: problem.message,
        startLineNumber: line,
        startColumn: problem.column ?? model.getLineFirstNonWhitespaceColumn(line),
        endLineNumber: line,
        endColumn: model.getLineMaxColumn(line),
      },
    ]);
  }, [shown, problem]);
}

/** Reports the problems of the script, from its types and from the last run, in line order. */
function useDiagnostics(model: Model | undefined, onChecked: ScriptEditorProps['onChecked']): void {
  useEffect(() => {
    if (model === undefined) return undefined;
    let isChecked = false;
    const report = (): void => {
      const { id } = usePlayground.getState().openScript;
      // the model of the script before
      if (monaco.Uri.parse(scriptPath(id)).toString() !== model.uri.toString()) return;
      const markers = monaco.editor
        .getModelMarkers({ resource: model.uri })
        .filter(({ severity, owner }) => severity === monaco.MarkerSeverity.Error || owner === MARKER_OWNER)
        .map(({ startLineNumber, startColumn, message, severity }) => ({
          line: startLineNumber,
          column: startColumn,
          message,
          warning: severity !== monaco.MarkerSeverity.Error,
        }));
      // before its first check a script without markers may still have problems
      const isKnown = isChecked || markers.length > 0;
      const sorted = markers.toSorted((a, b) => a.line - b.line || a.column - b.column);
      onChecked({ id, diagnostics: isKnown ? sorted : undefined });
    };
    // a model that was shown before has its markers
    report();
    const listener = monaco.editor.onDidChangeMarkers((resources) => {
      if (resources.some((resource) => resource.toString() === model.uri.toString())) report();
    });
    // A script without problems changes no marker, so its first check has to be requested. If the request fails,
    // no problem will ever be marked, so the page reports none.
    const checked = (clean: boolean): void => {
      isChecked = true;
      if (clean) report();
    };
    firstCheck(model).then(checked, () => checked(true));
    return () => listener.dispose();
  }, [model, onChecked]);
}
