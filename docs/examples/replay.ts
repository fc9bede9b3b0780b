import { createRun, definePrompt } from '@cueline/core';
import { decodeLog, encodeLog } from '@cueline/core/link';
import { replay } from '@cueline/core/replay';
import { scriptedModel } from '@cueline/core/testing';

const greet = definePrompt('greet', (prompt) => prompt.$`Greet Ada.`);
const recorded = createRun(greet, { model: scriptedModel(['Hello Ada!']) });
await recorded.start();
const stored = encodeLog(recorded.log());

// #region replay
const tape = replay(decodeLog(stored), { speed: 20, maxGapMs: 1_000 });
const run = createRun(greet, { executor: tape });
console.log(await run.start());
// #endregion

// #region keys
const still = replay(decodeLog(stored), { paused: true });
const scene = createRun(greet, { executor: still });
const end = scene.start();
still.seek(2); // everything up to and including event 2, at once
still.setSpeed(4);
still.play();
// #endregion
await end;
console.log(still.position === scene.log().length - 1, still.speed);
// prints: Hello Ada!
// prints: true 4
