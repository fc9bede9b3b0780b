/** Styles shared by the menus. */
export const menuContent: string =
  'scroll z-50 max-h-[var(--radix-dropdown-menu-content-available-height)] animate-[fade_100ms_ease-out] rounded-lg ' +
  'floating p-1 outline-none';

export const menuItem: string =
  'flex cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 text-base text-ink select-none focus-visible:-outline-offset-2 ' +
  'data-highlighted:bg-hover data-disabled:text-ink-3 narrow:min-h-11 [&_svg]:size-[15px] [&_svg]:shrink-0 [&_svg]:text-ink-3';
