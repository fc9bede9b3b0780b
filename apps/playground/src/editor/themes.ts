import type * as Monaco from 'monaco-editor/editor';

/** The editor's colours: the app's own, with syntax in the colours that the app uses for the same kinds of things. */
export function defineThemes(monaco: typeof Monaco): void {
  monaco.editor.defineTheme('cueline-dark', {
    base: 'vs-dark',
    inherit: true,
    rules: [
      { token: '', foreground: 'd5d9e0' },
      { token: 'comment', foreground: '7c8491' },
      { token: 'keyword', foreground: 'b79bff' },
      { token: 'string', foreground: '8fd9ae' },
      { token: 'string.escape', foreground: 'f0b35b' },
      { token: 'number', foreground: 'f0b35b' },
      { token: 'regexp', foreground: 'f0b35b' },
      { token: 'type', foreground: '7db4ff' },
      { token: 'identifier', foreground: 'd5d9e0' },
      { token: 'delimiter', foreground: '98a0ac' },
    ],
    colors: {
      'editor.background': '#101215',
      'editor.foreground': '#d5d9e0',
      'editorLineNumber.foreground': '#4c535e',
      'editorLineNumber.activeForeground': '#aab0ba',
      'editor.lineHighlightBackground': '#16191d',
      'editor.lineHighlightBorder': '#00000000',
      'editor.selectionBackground': '#2b4264',
      'editor.inactiveSelectionBackground': '#222c3c',
      'editorCursor.foreground': '#3ddc91',
      'editorIndentGuide.background1': '#1d2127',
      'editorIndentGuide.activeBackground1': '#363c45',
      'editorBracketMatch.background': '#1f2a25',
      'editorBracketMatch.border': '#2f6b4d',
      'editorWidget.background': '#16191d',
      'editorWidget.border': '#363c45',
      'editorSuggestWidget.background': '#16191d',
      'editorSuggestWidget.selectedBackground': '#262c34',
      'editorSuggestWidget.highlightForeground': '#3ddc91',
      'editorSuggestWidget.focusHighlightForeground': '#3ddc91',
      'editorHoverWidget.background': '#16191d',
      'editorError.foreground': '#ff7b7f',
      'editorOverviewRuler.border': '#00000000',
      'scrollbarSlider.background': '#363c4566',
      ...brackets('#98a0ac'),
      focusBorder: '#6aa6ff',
    },
  });
  monaco.editor.defineTheme('cueline-light', {
    base: 'vs',
    inherit: true,
    rules: [
      { token: '', foreground: '22262d' },
      { token: 'comment', foreground: '6b7280' },
      { token: 'keyword', foreground: '7045c9' },
      { token: 'string', foreground: '0b6b43' },
      { token: 'string.escape', foreground: '9a5b00' },
      { token: 'number', foreground: '9a5b00' },
      { token: 'regexp', foreground: '9a5b00' },
      { token: 'type', foreground: '1f63c9' },
      { token: 'identifier', foreground: '22262d' },
      { token: 'delimiter', foreground: '5b6370' },
    ],
    colors: {
      'editor.background': '#ffffff',
      'editor.foreground': '#22262d',
      'editorLineNumber.foreground': '#a9b0bb',
      'editorLineNumber.activeForeground': '#4a505b',
      'editor.lineHighlightBackground': '#f6f7f8',
      'editor.lineHighlightBorder': '#00000000',
      'editorCursor.foreground': '#0b7a4b',
      'editorIndentGuide.background1': '#eceef1',
      'editorIndentGuide.activeBackground1': '#c9cdd4',
      'editorBracketMatch.background': '#e6f5ed',
      'editorBracketMatch.border': '#8ecbab',
      'editorWidget.background': '#ffffff',
      'editorWidget.border': '#c9cdd4',
      'editorSuggestWidget.selectedBackground': '#eef0f2',
      'editorSuggestWidget.selectedForeground': '#16181d',
      'editorSuggestWidget.selectedIconForeground': '#16181d',
      'editorSuggestWidget.highlightForeground': '#0b7a4b',
      'editorSuggestWidget.focusHighlightForeground': '#0b7a4b',
      'editorError.foreground': '#c4232f',
      'editorOverviewRuler.border': '#00000000',
      ...brackets('#5b6370'),
      'scrollbarSlider.background': '#c9cdd466',
      focusBorder: '#2563eb',
    },
  });
}

/** One calm colour for brackets at every depth. */
function brackets(colour: string): Record<string, string> {
  return Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((depth) => [`editorBracketHighlight.foreground${depth}`, colour]),
  );
}
