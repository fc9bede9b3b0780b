import { createRun, definePrompt } from '@cueline/core';
import { decodeLog, encodeLog } from '@cueline/core/link';
import { replay } from '@cueline/core/replay';
import { scriptedModel } from '@cueline/core/testing';

const greet = definePrompt('greet', (prompt) => prompt.$`Greet Ada.`);
const recorded = createRun(greet, { model: scriptedModel(['Hello Ada!']) });
await recorded.start();
const stored = encodeLog(recorded.log());

// #region replay
const recording = replay(decodeLog(stored), { speed: 20, maxGapMs: 1_000 });
const run = createRun(greet, { executor: recording });
console.log(await run.start());
// #endregion

// #region keys
const player = replay(decodeLog(stored), { paused: true });
const watched = createRun(greet, { executor: player });
const end = watched.start();
player.seek(2); // everything up to and including event 2, at once
player.setSpeed(4);
player.play();
// #endregion
await end;
console.log(player.position === watched.log().length - 1, player.speed);
// prints: Hello Ada!
// prints: true 4
