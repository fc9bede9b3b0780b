import { definePrompt } from '@cueline/core';
import { scriptedModel, type ScriptedModel } from '@cueline/core/testing';
import { PromptProvider, usePrompt } from '@cueline/react';
import { Activity, useEffect, type ReactElement } from 'react';
import { openStage, until, wait, type Figures, type Stage } from './page-root.ts';

const words = Array.from({ length: 80 }, (_, index) => `word-${index} `);

const answer = definePrompt('answer', (prompt) => {
  prompt.$`Say many words.`;
});

/** Takes about a second for its answer, whatever happens to the page. */
function slowModel(): ScriptedModel {
  const turn = words.map((text) => ({ delay: 10, text }));
  // a second call is answered as well, so that it is seen in the count
  return scriptedModel([turn, turn]);
}

/** Starts when it is mounted, as a page does that answers at once. */
function Answer({ id, mounted }: { id?: string; mounted?: () => void }): ReactElement {
  const { start, text, status } = usePrompt(answer, { id });
  useEffect(() => {
    mounted?.();
    void start(undefined, { key: 'first' });
  }, [start, mounted]);
  return (
    <>
      <p id="status">{status}</p>
      <p id="text">{text}</p>
    </>
  );
}

/** `mounts` tells a development build, in which StrictMode mounts everything twice, from a production build. */
export async function startOnMount(): Promise<Figures> {
  const stage = openStage();
  const model = slowModel();
  let mounts = 0;
  const mounted = (): void => void (mounts += 1);
  stage.show(
    <PromptProvider model={model}>
      <Answer mounted={mounted} />
    </PromptProvider>,
  );
  return { ...(await ending(stage, model)), mounts };
}

/** Hides the component in the middle of the run, and shows it again while the run goes on. */
export async function hideAndShow(): Promise<Figures> {
  const stage = openStage();
  const model = slowModel();
  const show = (mode: 'visible' | 'hidden'): void =>
    stage.show(
      <PromptProvider model={model}>
        <Activity mode={mode}>
          <Answer />
        </Activity>
      </PromptProvider>,
    );
  show('visible');
  await until('ten words', () => wordsShown(stage) >= 10);
  show('hidden');
  await wait(200);
  const shownWhileHidden = wordsShown(stage);
  show('visible');
  await until('what was said meanwhile', () => wordsShown(stage) > shownWhileHidden);
  const statusOnReturn = stage.text('status') ?? '';
  return { ...(await ending(stage, model)), statusOnReturn };
}

/** Takes the component away in the middle of the run, and shows another one of the same id while the run goes on. */
export async function remountById(): Promise<Figures> {
  const stage = openStage();
  const model = slowModel();
  const show = (isThere: boolean): void =>
    stage.show(<PromptProvider model={model}>{isThere && <Answer id="answer" />}</PromptProvider>);
  show(true);
  await until('ten words', () => wordsShown(stage) >= 10);
  show(false);
  await until('an empty page', () => stage.text('text') === undefined);
  await wait(200);
  show(true);
  await until('the words so far', () => wordsShown(stage) > 10);
  const statusOnReturn = stage.text('status') ?? '';
  return { ...(await ending(stage, model)), statusOnReturn };
}

function wordsShown(stage: Stage): number {
  return stage.text('text')?.match(/\S+ /g)?.length ?? 0;
}

async function ending(stage: Stage, model: ScriptedModel): Promise<Figures> {
  await until('the end', () => !['idle', 'running', undefined].includes(stage.text('status')));
  const text = stage.text('text') === words.join('') ? 'whole' : (stage.text('text') ?? '');
  const status = stage.text('status') ?? '';
  stage.clear();
  return { status, text, calls: model.calls.length };
}
