import type { ScriptedTurn } from '@cueline/core/testing';

/** One answer of the simulated model; with `when`, only to a request whose JSON it fits. */
export type Scene = ScriptedTurn | { when: RegExp; turn: ScriptedTurn };

/** How a scripted answer arrives: as many characters at a time, each after a pause in milliseconds; a quick reader's pace. */
export const scriptedPace = { chunkSize: 4, delay: 16 };

/** A tool call. */
export const call = (name: string, input: unknown) => ({ toolCall: { name, input }, delay: 120 });
/** A tool call after a while, in which one can look at what there is, and change it. */
export const unhurried = (name: string, input: unknown) => ({ ...call(name, input), delay: 700 });
