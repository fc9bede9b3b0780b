import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { answerAtDesk } from './answer-at-desk.ts';
import { answerLetters } from './answer-letters.ts';
import { answerTasks } from './answer-tasks.ts';
import { readCall, type ReadCall } from './read-call.ts';

let calls = 0;

/** Not a real model: it answers by rules, at reading speed. Every call leaves a mark in the performance timeline. */
export const simulatedModel: ScriptedModel = {
  ...scriptedModel([]),
  async doStream(call) {
    performance.mark('model');
    const turn = scriptedModel([withCallIds(answer(readCall(call)))], { chunkSize: 4, delay: 18 });
    return turn.doStream(call);
  },
};

function answer(heard: ReadCall): ScriptedTurn {
  if (heard.system.includes('bookings')) return answerLetters(heard);
  if (heard.system.includes('one task after the other')) return answerTasks(heard);
  return answerAtDesk(heard);
}

/** A stored conversation continues after a reload, so call ids must not repeat. */
function withCallIds(turn: ScriptedTurn): ScriptedTurn {
  if (typeof turn === 'string') return turn;
  return turn.map((part) => {
    if (typeof part === 'string' || !('toolCall' in part)) return part;
    calls += 1;
    return { ...part, toolCall: { ...part.toolCall, id: `call-${Date.now().toString(36)}-${calls}` } };
  });
}
