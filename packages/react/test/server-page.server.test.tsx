import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { finishedLog, serverHtml, ServerPage, unfinishedLog } from './server-page.tsx';

for (const id of [undefined, 'greeting']) {
  test(`a server renders the given log without side effects: ${id ?? 'no id'}`, () => {
    const touched: string[] = [];
    const touch = (what: string) => () => {
      touched.push(what);
      throw new Error(`${what} while rendering`);
    };
    const page = (initialLog: typeof finishedLog): string =>
      renderToString(
        <ServerPage
          initialLog={initialLog}
          executor={{ start: touch('start'), attach: touch('attach') }}
          persist={{ load: touch('load'), append: touch('append'), remove: touch('remove') }}
          {...(id === undefined ? {} : { id })}
        />,
      );
    expect(page(finishedLog)).toBe(serverHtml.finished);
    expect(page(unfinishedLog)).toBe(serverHtml.unfinished);
    expect(touched).toEqual([]);
  });
}
