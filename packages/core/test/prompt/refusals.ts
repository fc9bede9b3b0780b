import { CuelineError } from '@cueline/core';
import { Prompt } from '@cueline/core/testing';

/** The error of a wrong definition: its code and its message. */
export function said(act: (prompt: Prompt) => unknown): string {
  try {
    act(new Prompt());
  } catch (error) {
    if (CuelineError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('did not throw');
}
