import { useEffect, useState } from 'react';
import { usePlayground } from './store.ts';

const dark = '(prefers-color-scheme: dark)';

/** The current theme, from the user's choice or the system's; also set on the document. */
export function useTheme(): 'dark' | 'light' {
  const choice = usePlayground((state) => state.theme);
  const systemDark = useMediaQuery(dark);
  const theme = choice === 'system' ? (systemDark ? 'dark' : 'light') : choice;
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return theme;
}

function useMediaQuery(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = (): void => setMatches(list.matches);
    update();
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return matches;
}

/** The theme of the page at this moment. */
export function shownTheme(): 'dark' | 'light' {
  return document.documentElement.dataset.theme === 'light' ? 'light' : 'dark';
}

const narrow = '(width <= 768px), (width <= 960px) and (height <= 480px)';

/** True if there is room for one pane only. */
export function useNarrow(): boolean {
  return useMediaQuery(narrow);
}

/** True if there is room for one pane only, at this moment. */
export function isNarrow(): boolean {
  return matchMedia(narrow).matches;
}
