import { definePrompt } from '@cueline/core';
import { z } from 'zod';
import { guesthouse } from '../demo/guesthouse.ts';

/** The longest result of a task, in characters. */
const MAX_RESULT_LENGTH = 90;

/** Works on a list of tasks, one after the other, until each has a result that is accepted. */
export const prepareArrival = definePrompt(
  'prepare-arrival',
  (prompt, input) => {
    prompt.defSystem('role', 'You prepare a guesthouse for its guests. Do one task after the other.');
    prompt.defTool(
      'lookUp',
      'What the house knows of a subject',
      z.object({ subject: z.string() }),
      ({ subject }) => guesthouse.lookUp(subject),
      { effect: 'read' },
    );
    prompt.defTaskList(
      input.titles.map((title) => ({
        task: title,
        validation: (result) =>
          result.length > MAX_RESULT_LENGTH
            ? `The result has ${result.length} characters. Use ${MAX_RESULT_LENGTH} at most.`
            : undefined,
      })),
    );
    prompt.$`The Costa family arrives on Saturday. Prepare everything.`;
  },
  { input: z.object({ titles: z.array(z.string().max(2_000)).min(1).max(50) }) },
);
