import { createRun, definePrompt, type RunEvent, type RunStorage } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);

// #region own
const logs = new Map<string, RunEvent[]>(); // yours: a database, a file, an endpoint

const storage: RunStorage = {
  load: async (id) => logs.get(id),
  async append(id, events) {
    // a log that begins takes the old one's place, and a batch that is given again its own
    const stored = (logs.get(id) ?? []).slice(0, events[0]?.seq);
    logs.set(id, [...stored, ...events]);
  },
  remove: async (id) => void logs.delete(id),
};
// #endregion

// #region reload
const model = scriptedModel(['Take the tram up to Graça.', 'Then walk down.']);
const run = createRun(planDay, { id: 'planner', model, storage });
await run.start({ city: 'Lisbon' });

const afterReload = createRun(planDay, { id: 'planner', model, storage });
await afterReload.restored;
console.log(afterReload.getState().status, afterReload.getState().text);
await afterReload.send('And then?');
// #endregion
console.log(afterReload.getState().text);
// prints: done Take the tram up to Graça.
// prints: Then walk down.
