import type { Browser } from 'playwright';
import { drag, typeOnly, visitLongRun, type Drag, type LongVisit } from './long-visit.ts';
import type { Host } from './serve.ts';
import {
  onPage,
  untilSeen,
  visitAgain,
  visitBareEditor,
  visitBareStream,
  visitFirst,
  type RunVisit,
  type Visit,
} from './visits.ts';

/** How often a person visits, and how often the long run is opened, which takes longer and varies less. */
const ROUNDS = 9;
const LONG_ROUNDS = 3;

export type Options = { browser: Browser; slowdown: number; playground: Host; bare: Host; file: string };

/** One entry a round; of the long run, the bare slider and the typing, of the first rounds only. */
export type Measured = {
  first: Visit[];
  again: RunVisit[];
  bareEditor: Visit[];
  bareStream: { word: number; longest: number }[];
  bareSlider: Drag[];
  bareTyping: number[];
  long: LongVisit[];
};

/** Measures everything in rounds, so that what else the machine does meets all of it alike. */
export async function measure({ browser, slowdown, playground, bare, file }: Options): Promise<Measured> {
  const app = { browser, slowdown, host: playground };
  const other = { browser, slowdown, host: bare };
  const measured: Measured = {
    first: [],
    again: [],
    bareEditor: [],
    bareStream: [],
    bareSlider: [],
    bareTyping: [],
    long: [],
  };
  for (let round = 0; round < ROUNDS; round++) {
    measured.first.push(await visitFirst(app));
    measured.bareEditor.push(await visitBareEditor(other));
    measured.again.push(await visitAgain(app));
    measured.bareStream.push(await visitBareStream(other));
    if (round >= LONG_ROUNDS) continue;
    measured.long.push(await visitLongRun(app, file));
    measured.bareTyping.push(await typeOnly(other));
    measured.bareSlider.push(
      await onPage(other, {}, { slider: 'p' }, async (page, session) => {
        await page.goto(`${bare.url}/#slider`);
        await untilSeen(session, ['slider']);
        return drag(browser, page, session);
      }),
    );
  }
  return measured;
}
