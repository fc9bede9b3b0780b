import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';

const story = definePrompt('story', (prompt) => prompt.$`Tell a story.`);
const model = scriptedModel(['Once upon a time, and so on.'], { chunkSize: 8, delay: 5 });

// #region detach
const run = createRun(story, { model });
const answer = run.start();
run.detach(); // it continues, and this run receives none of its later events
run.attach(); // from where it was left: nothing is lost, nothing comes twice
console.log(await answer);
// #endregion
// prints: Once upon a time, and so on.
