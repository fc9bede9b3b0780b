/** Styles of tabs at the top of a pane. */
export const paneTab: string =
  'h-9 px-3 text-base text-ink-2 border-b-2 border-transparent focus-visible:-outline-offset-2 narrow:h-11 ' +
  'data-[state=active]:border-go data-[state=active]:text-ink data-[state=active]:font-medium';
