import type { ScriptedTurn } from '@cueline/core/testing';

/**
 * One answer of the simulated model. With `when`, it answers only a request whose JSON matches. A `checked` scripted
 * answer is played only if the request has the tools that the scripted answer calls and the numbers that it states.
 */
export type ScriptedAnswer = ScriptedTurn | { when?: RegExp; turn: ScriptedTurn; checked?: boolean };

/** The pace of a scripted answer: characters per part, and the pause before each in milliseconds; reading speed. */
export const scriptedPace = { chunkSize: 4, delay: 16 };

/** A tool call. */
export const call = (name: string, input: unknown) => ({ toolCall: { name, input }, delay: 120 });
/** A tool call after a pause, in which the user can look at the run, and change it. */
export const callAfterPause = (name: string, input: unknown) => ({ ...call(name, input), delay: 700 });
