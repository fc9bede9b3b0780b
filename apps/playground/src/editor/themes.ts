import type * as Monaco from 'monaco-editor/editor';

/** The dark theme, with one color for each kind of thing. Where the app has a color for it, the theme uses that. */
const dark = {
  base: 'vs-dark',
  background: '#101215',
  text: '#dde1e7',
  comment: '#868e9b',
  keyword: '#b79bff',
  string: '#86d9ab',
  // numbers, regular expressions and escapes
  literal: '#f0b35b',
  type: '#7db4ff',
  punctuation: '#98a0ac',
  lineNumber: '#7d8591',
  activeLineNumber: '#c4cad3',
  activeLine: '#16191d',
  selection: '#2b4264',
  inactiveSelection: '#222c3c',
  // other places of the word at the cursor
  sameWord: '#262d37',
  found: '#4a3a17',
  cursor: '#3ddc91',
  guide: '#1d2127',
  activeGuide: '#363c45',
  bracket: '#1f2a25',
  bracketBorder: '#2f6b4d',
  // suggestions, hovers, the search box and menus
  float: '#1a1d22',
  floatBorder: '#3a414b',
  floatShadow: '#000000a0',
  chosen: '#272c34',
  field: '#13161a',
  muted: '#9097a3',
  error: '#ff7b7f',
  warning: '#e6b95c',
  link: '#7db4ff',
  focus: '#6aa6ff',
} as const;

/** The colors of one theme. */
export type EditorPalette = Record<keyof typeof dark, string> & { base: 'vs' | 'vs-dark' };

/** The palettes of both themes. Every text color has a contrast of at least 4.5 to 1 on the background. */
export const editorPalettes: Readonly<Record<'dark' | 'light', EditorPalette>> = {
  dark,
  light: {
    base: 'vs',
    background: '#ffffff',
    text: '#22262d',
    comment: '#636a76',
    keyword: '#7045c9',
    string: '#0b6b43',
    literal: '#8f5400',
    type: '#1f63c9',
    punctuation: '#5b6370',
    lineNumber: '#676e7a',
    activeLineNumber: '#16181d',
    activeLine: '#f6f7f8',
    selection: '#cfe0fb',
    inactiveSelection: '#e6ebf3',
    sameWord: '#eceff3',
    found: '#fbe7b2',
    cursor: '#0b7a4b',
    guide: '#eceef1',
    activeGuide: '#c9cdd4',
    bracket: '#e6f5ed',
    bracketBorder: '#8ecbab',
    float: '#ffffff',
    floatBorder: '#d3d7dd',
    floatShadow: '#1018282e',
    chosen: '#eef0f2',
    field: '#ffffff',
    muted: '#636a76',
    error: '#c4232f',
    warning: '#8a5a00',
    link: '#1f63c9',
    focus: '#2563eb',
  },
};

/** Gives the editor its themes, `cueline-dark` and `cueline-light`. */
export function defineThemes(monaco: typeof Monaco): void {
  for (const [name, palette] of Object.entries(editorPalettes)) {
    monaco.editor.defineTheme(`cueline-${name}`, {
      base: palette.base,
      inherit: true,
      rules: rulesOf(palette),
      colors: { ...textColors(palette), ...floatColors(palette) },
    });
  }
}

function rulesOf(palette: EditorPalette): Monaco.editor.ITokenThemeRule[] {
  const tokens: Record<string, string> = {
    '': palette.text,
    identifier: palette.text,
    comment: palette.comment,
    keyword: palette.keyword,
    string: palette.string,
    'string.escape': palette.literal,
    number: palette.literal,
    regexp: palette.literal,
    type: palette.type,
    delimiter: palette.punctuation,
  };
  return Object.entries(tokens).map(([token, color]) => ({ token, foreground: color.slice(1) }));
}

const none = '#00000000';

function textColors(palette: EditorPalette): Record<string, string> {
  return {
    'editor.background': palette.background,
    'editor.foreground': palette.text,
    'editorLineNumber.foreground': palette.lineNumber,
    // the number of the empty line at the end
    'editorLineNumber.dimmedForeground': palette.lineNumber,
    'editorLineNumber.activeForeground': palette.activeLineNumber,
    'editor.lineHighlightBackground': palette.activeLine,
    'editor.lineHighlightBorder': none,
    'editor.selectionBackground': palette.selection,
    'editor.inactiveSelectionBackground': palette.inactiveSelection,
    'editor.wordHighlightBackground': palette.sameWord,
    'editor.wordHighlightStrongBackground': palette.sameWord,
    'editor.wordHighlightTextBackground': palette.sameWord,
    'editor.selectionHighlightBackground': palette.sameWord,
    'editor.findMatchBackground': palette.found,
    'editor.findMatchHighlightBackground': palette.found,
    'editor.foldBackground': palette.activeLine,
    'editorCursor.foreground': palette.cursor,
    'editorIndentGuide.background1': palette.guide,
    'editorIndentGuide.activeBackground1': palette.activeGuide,
    'editorBracketMatch.background': palette.bracket,
    'editorBracketMatch.border': palette.bracketBorder,
    // one calm color for brackets at every depth
    ...Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((depth) => [`editorBracketHighlight.foreground${depth}`, palette.punctuation]),
    ),
    'editorError.foreground': palette.error,
    'editorWarning.foreground': palette.warning,
    'editorLink.activeForeground': palette.link,
    'editorOverviewRuler.border': none,
    'scrollbarSlider.background': `${palette.activeGuide}66`,
    'scrollbarSlider.hoverBackground': `${palette.activeGuide}aa`,
    'scrollbarSlider.activeBackground': palette.activeGuide,
    focusBorder: palette.focus,
  };
}

function floatColors(palette: EditorPalette): Record<string, string> {
  const { float, floatBorder, chosen, text, cursor, field } = palette;
  return {
    'widget.shadow': palette.floatShadow,
    'widget.border': floatBorder,
    'editorWidget.background': float,
    'editorWidget.foreground': text,
    'editorWidget.border': floatBorder,
    'editorHoverWidget.background': float,
    'editorHoverWidget.border': floatBorder,
    'editorHoverWidget.statusBarBackground': chosen,
    // a definition, with the list of its places beside it
    'peekView.border': palette.focus,
    'peekViewTitle.background': float,
    'peekViewTitleLabel.foreground': text,
    'peekViewTitleDescription.foreground': palette.muted,
    'peekViewEditor.background': palette.background,
    'peekViewEditor.matchHighlightBackground': palette.found,
    'peekViewResult.background': float,
    'peekViewResult.lineForeground': text,
    'peekViewResult.fileForeground': text,
    'peekViewResult.matchHighlightBackground': palette.found,
    'peekViewResult.selectionBackground': chosen,
    'peekViewResult.selectionForeground': text,
    'editorSuggestWidget.background': float,
    'editorSuggestWidget.border': floatBorder,
    'editorSuggestWidget.foreground': text,
    'editorSuggestWidget.selectedBackground': chosen,
    'editorSuggestWidget.selectedForeground': text,
    'editorSuggestWidget.selectedIconForeground': text,
    'editorSuggestWidget.highlightForeground': cursor,
    'editorSuggestWidget.focusHighlightForeground': cursor,
    'list.hoverBackground': chosen,
    'list.focusBackground': chosen,
    'list.activeSelectionBackground': chosen,
    'list.activeSelectionForeground': text,
    'list.highlightForeground': cursor,
    'quickInput.background': float,
    'quickInput.foreground': text,
    'quickInputList.focusBackground': chosen,
    'quickInputList.focusForeground': text,
    'pickerGroup.foreground': palette.muted,
    'pickerGroup.border': floatBorder,
    'menu.background': float,
    'menu.foreground': text,
    'menu.selectionBackground': chosen,
    'menu.selectionForeground': text,
    'menu.separatorBackground': floatBorder,
    'menu.border': floatBorder,
    'input.background': field,
    'input.foreground': text,
    'input.border': floatBorder,
    'input.placeholderForeground': palette.muted,
    'inputOption.activeBackground': chosen,
    'inputOption.activeBorder': palette.focus,
    'inputOption.activeForeground': text,
    'keybindingLabel.background': chosen,
    'keybindingLabel.foreground': text,
    'keybindingLabel.border': floatBorder,
    'keybindingLabel.bottomBorder': floatBorder,
    'textLink.foreground': palette.link,
    'textLink.activeForeground': palette.link,
    'textCodeBlock.background': chosen,
    descriptionForeground: palette.muted,
    foreground: text,
    'icon.foreground': palette.muted,
  };
}
