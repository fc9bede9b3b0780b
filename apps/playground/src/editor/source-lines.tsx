import { useDeferredValue, useEffect, useMemo, useRef, type RefObject } from 'react';
import { findDefinitions, type FoundDefinitions } from '../sandbox/script/find-definitions.ts';
import { selectionKey, useInspection } from '../state/inspection.ts';
import { linesOfRun, moveLines } from '../state/lines-of-run.ts';
import { useSettledMoment } from '../state/moment/use-settled-moment.ts';
import { useScriptLines } from '../state/script-lines.ts';
import { shownAt, type ShownRun } from '../state/shown-run.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { useNarrow } from '../state/theme.ts';
import { createGutterLabels } from './gutter-labels.ts';
import { costsOfLines } from './line-costs.ts';
import { linesOfSelection, selectionOfLine } from './lines-of-selection.ts';
import { monaco } from './monaco.ts';

type CodeEditor = monaco.editor.IStandaloneCodeEditor;

const none: FoundDefinitions = { definitions: [] };
/** The gutter's numbers change at most this often, in milliseconds. */
const GUTTER_PAUSE = 500;
const gutterClosed = { glyphMargin: false, lineNumbersMinChars: 3 };
const gutterOpen = { glyphMargin: true, lineNumbersMinChars: 8 };

type SourceLinesProps = {
  editor: CodeEditor;
  /** The run that is shown. */
  session: RunSession | undefined;
  /** True if the script's first request is shown. */
  previews: boolean;
};

/**
 * Connects the script's lines with its run: marks the lines that made the selection, selects the definition or call of
 * the cursor's line, and shows in the gutter what each line cost. Draws nothing outside the editor.
 */
export function SourceLines({ editor, session, previews }: SourceLinesProps): null {
  const script = useDeferredValue(usePlayground((state) => state.script));
  const made = useScriptLines((state) => session && state.bySession[session.id]);
  const ran = session !== undefined && 'script' in session.source ? session.source.script : undefined;
  const lines = useMemo(() => (ran === undefined ? none : linesOfRun(ran, made ?? [])), [ran, made]);
  const moved = useMemo(() => {
    // the preview shows the script as it is in the editor
    if (previews) return findDefinitions(script);
    return ran === undefined ? none : moveLines(lines, ran, script);
  }, [previews, lines, ran, script]);
  /** The key of the selection that was made in the editor itself. */
  const ownSelectionRef = useRef('');
  useMarkedLines(editor, session, moved, ownSelectionRef);
  useLineSelection(editor, session, moved, ownSelectionRef);
  useLineCosts(editor, session, script === ran ? lines : undefined);
  return null;
}

/** Marks the lines of the selection, and scrolls to them if it was made elsewhere. */
function useMarkedLines(
  editor: CodeEditor,
  session: RunSession | undefined,
  lines: FoundDefinitions,
  ownSelectionRef: RefObject<string>,
): void {
  const selection = useInspection((state) => state.selection);
  const marks = useMemo(() => editor.createDecorationsCollection(), [editor]);
  const revealed = useRef('');
  useEffect(() => {
    const ranges = selection ? linesOfSelection(selection, lines, statesOf(session)) : [];
    marks.set(
      ranges.map(({ line, lastLine }) => ({
        range: new monaco.Range(line, 1, lastLine, 1),
        options: {
          isWholeLine: true,
          className: 'source-line',
          linesDecorationsClassName: 'source-line-mark',
        },
      })),
    );
    const key = selectionKey(selection);
    const [first] = ranges;
    if (key === revealed.current || (first === undefined && key !== '')) return;
    revealed.current = key;
    const isOwn = key === ownSelectionRef.current;
    ownSelectionRef.current = '';
    if (first !== undefined && !isOwn) editor.revealLineInCenterIfOutsideViewport(first.line);
  }, [editor, marks, session, selection, lines, ownSelectionRef]);
}

/** Selects the definition or call of a line when the user puts the cursor on it or clicks its gutter. */
function useLineSelection(
  editor: CodeEditor,
  session: RunSession | undefined,
  lines: FoundDefinitions,
  ownSelectionRef: RefObject<string>,
): void {
  useEffect(() => {
    if (session === undefined) return undefined;
    const choose = (line: number): void => {
      const { selection, select } = useInspection.getState();
      const marked = selection === undefined ? [] : linesOfSelection(selection, lines, statesOf(session));
      if (marked.some((range) => range.line <= line && line <= range.lastLine)) return;
      const found = selectionOfLine(line, lines, shownNow(session));
      if (found === undefined) return;
      ownSelectionRef.current = selectionKey(found);
      select(found);
    };
    const { GUTTER_GLYPH_MARGIN, GUTTER_LINE_NUMBERS } = monaco.editor.MouseTargetType;
    const listeners = [
      // a cursor that moved by typing or by code selects nothing
      editor.onDidChangeCursorPosition(({ reason, position }) => {
        const isMove = reason === monaco.editor.CursorChangeReason.Explicit;
        if (isMove && editor.getSelection()?.isEmpty() === true) choose(position.lineNumber);
      }),
      editor.onMouseDown(({ target }) => {
        if (target.type === GUTTER_GLYPH_MARGIN || target.type === GUTTER_LINE_NUMBERS) {
          choose(target.position.lineNumber);
        }
      }),
    ];
    return () => {
      for (const listener of listeners) listener.dispose();
    };
  }, [editor, session, lines, ownSelectionRef]);
}

/** Shows the cost of each line. Without `lines`, the script in the editor is not the one that ran. */
function useLineCosts(
  editor: CodeEditor,
  session: RunSession | undefined,
  lines: FoundDefinitions | undefined,
): void {
  const isNarrow = useNarrow();
  const hasRoom = session !== undefined && !isNarrow;
  const showLabels = useMemo(() => createGutterLabels(editor), [editor]);
  useEffect(() => {
    editor.updateOptions(hasRoom ? gutterOpen : gutterClosed);
  }, [editor, hasRoom]);
  useEffect(() => {
    if (session === undefined || lines === undefined || !hasRoom) {
      showLabels(new Map());
      return undefined;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      showLabels(costsOfLines(lines.definitions, shownNow(session)));
    };
    const showSoon = (): void => {
      timer ??= setTimeout(show, GUTTER_PAUSE);
    };
    show();
    const endRun = session.run.subscribe(showSoon);
    const endMoment = useSettledMoment.subscribe(showSoon);
    return () => {
      clearTimeout(timer);
      endRun();
      endMoment();
    };
  }, [showLabels, session, lines, hasRoom]);
}

function shownNow(session: RunSession): ShownRun {
  return shownAt(session, session.run.getState(), useInspection.getState().moment);
}

/** The state of each turn. */
function statesOf(
  session: RunSession | undefined,
): (turn: number) => ReturnType<RunSession['run']['getState']> | undefined {
  return (turn) => session?.earlier[turn]?.state ?? session?.run.getState();
}
