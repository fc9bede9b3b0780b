import type { ModelMessage } from 'ai';
import { thrownText } from '../../base/error-source.ts';
import { createId } from '../../base/create-id.ts';
import { CuelineError } from '../../base/errors.ts';
import { isRecord, quoted } from '../../base/part-error.ts';
import { freezeMessage, reviveMessage } from '../../messages/freeze-message.ts';

/** A {@link Dialog} as plain JSON: bytes are base64, and URLs are texts. */
export type DialogJSON = {
  readonly v: 1;
  readonly id: string;
  readonly parentId?: string;
  readonly instructions?: string;
  readonly messages: readonly unknown[];
};

/** What can be added to a dialog: a message, a user's text, or a list of both. */
export type DialogAddition = string | ModelMessage | readonly (string | ModelMessage)[];

/**
 * A conversation as a value: it never changes, and what is added makes another dialog. It keeps copies, so that nothing
 * that is done to a message afterwards reaches it.
 */
export type Dialog = {
  readonly id: string;
  /** The dialog that this one is a fork of. */
  readonly parentId?: string;
  /** What the system prompt said, for whoever reads it. A call puts its agent's own in the place of it. */
  readonly instructions?: string;
  readonly messages: readonly ModelMessage[];
  /** The dialog with this at its end. A text is what the user says. @throws CuelineError `invalid_definition` */
  append(addition: DialogAddition): Dialog;
  /** A dialog of its own that begins as this one is now. */
  fork(): Dialog;
  /** Copies of the messages, for the AI SDK or to be changed. */
  toMessages(): ModelMessage[];
  toJSON(): DialogJSON;
};

type Facts = Omit<DialogJSON, 'v' | 'messages'>;

/**
 * A dialog that begins with these messages.
 * @throws CuelineError `invalid_definition`
 *
 * @example createDialog().append('What is the capital of Portugal?');
 */
export function createDialog(
  messages: DialogAddition = [],
  { instructions }: { instructions?: string | undefined } = {},
): Dialog {
  if (instructions !== undefined && typeof instructions !== 'string') {
    throw new CuelineError(
      'invalid_definition',
      `The instructions of a dialog are ${quoted(instructions)}. Write a text.`,
    );
  }
  const facts = { id: createId('dialog'), ...(instructions === undefined ? {} : { instructions }) };
  return dialogOf(facts, []).append(messages);
}

/** The dialog that `dialog.toJSON()` came from. @throws CuelineError `invalid_options` for what is none */
export function dialogFromJSON(json: unknown): Dialog {
  if (!isRecord(json) || typeof json['id'] !== 'string' || !Array.isArray(json['messages'])) {
    throw notADialog('it is no object with an id and messages');
  }
  if (json['v'] !== 1) throw notADialog(`it has the version ${quoted(json['v'])}, and this Cueline reads 1`);
  const { id, parentId, instructions, messages } = json as DialogJSON;
  for (const [name, value] of Object.entries({ parentId, instructions })) {
    if (value !== undefined && typeof value !== 'string') throw notADialog(`its ${name} is no text`);
  }
  const facts: Facts = {
    id,
    ...(parentId === undefined ? {} : { parentId }),
    ...(instructions === undefined ? {} : { instructions }),
  };
  try {
    return dialogOf(facts, []).append(messages as readonly ModelMessage[]);
  } catch (error) {
    throw notADialog(thrownText(error));
  }
}

/** True for what {@link createDialog} returns, and what is made of it. */
export function isDialog(value: unknown): value is Dialog {
  // also one of another copy of this package
  return isRecord(value) && Array.isArray(value['messages']) && typeof value['toMessages'] === 'function';
}

/** `kept` are frozen, and plain JSON. */
function dialogOf(facts: Facts, kept: readonly ModelMessage[]): Dialog {
  Object.freeze(kept);
  const isPlain = kept.every((message) => reviveMessage(message) === message);
  return Object.freeze({
    ...facts,
    get messages() {
      // a URL object can be changed whatever is done to what holds it, so each reader gets its own
      return isPlain ? kept : Object.freeze(kept.map(reviveMessage));
    },
    append(addition: DialogAddition) {
      const list = Array.isArray(addition) ? (addition as readonly unknown[]) : [addition];
      const added = list.map((one, index) =>
        freezeMessage(
          typeof one === 'string' ? { role: 'user', content: one } : one,
          `messages[${kept.length + index}]`,
        ),
      );
      return dialogOf(facts, [...kept, ...added]);
    },
    fork: () => dialogOf({ ...facts, id: createId('dialog'), parentId: facts.id }, kept),
    toMessages: () => kept.map((message) => reviveMessage(structuredClone(message))),
    toJSON: () => ({ v: 1 as const, ...facts, messages: kept }),
  });
}

function notADialog(why: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `This cannot be read as a dialog: ${why}. Give what dialog.toJSON() returned, or JSON.parse of its text.`,
  );
}
