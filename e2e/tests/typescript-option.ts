import { test as base } from './kept-page.ts';

type Fixtures = {
  /**
   * Gives the editor its TypeScript. It takes about a third of the processor's time while a page opens, so only tests
   * of what it says have it. Scripts run without it.
   */
  typeScript: boolean;
};

/** A `test` whose page has no TypeScript, unless a test asks for it. */
export const test: ReturnType<typeof base.extend<Fixtures>> = base.extend<Fixtures>({
  typeScript: [false, { option: true }],
  context: async ({ context, typeScript }, use) => {
    if (!typeScript) await context.addInitScript(leaveOutTypeScript);
    await use(context);
  },
});

/** Starts an empty worker in place of TypeScript's. It answers nothing, as TypeScript does while it loads. */
function leaveOutTypeScript(): void {
  if (window !== window.top) return;
  const empty = URL.createObjectURL(new Blob([], { type: 'text/javascript' }));
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(String(url).includes('/typescript-worker') ? empty : url, options);
    }
  };
}
