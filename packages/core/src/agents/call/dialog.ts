import type { ModelMessage } from 'ai';
import { createId } from '../../base/create-id.ts';
import { thrownText } from '../../base/error-source.ts';
import { CuelineError } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { quoteValue } from '../../base/quote-value.ts';
import { freezeMessage, reviveMessage } from '../../messages/freeze-message.ts';

/** A {@link Dialog} as plain JSON, with bytes as base64 and URLs as text. */
export type DialogJSON = {
  readonly v: 1;
  readonly id: string;
  readonly parentId?: string;
  readonly instructions?: string;
  readonly messages: readonly unknown[];
};

/** An addition to a dialog: a message, a user's text, or a list of both. */
export type DialogAddition = string | ModelMessage | readonly (string | ModelMessage)[];

/**
 * An immutable conversation: an addition makes another dialog. It contains copies, so that later changes to a message
 * do not affect it.
 */
export type Dialog = {
  readonly id: string;
  /** The id of the dialog that this one is a fork of. */
  readonly parentId?: string;
  /** The system prompt, for readers. A call replaces it with its agent's own. */
  readonly instructions?: string;
  readonly messages: readonly ModelMessage[];
  /**
   * Returns the dialog with this at its end. A text is a user's message. @throws CuelineError `invalid_definition`
   */
  append(addition: DialogAddition): Dialog;
  /** Returns a separate dialog that begins with this one's messages. */
  fork(): Dialog;
  /** Returns copies of the messages, for the AI SDK or for changes. */
  toMessages(): ModelMessage[];
  toJSON(): DialogJSON;
};

type DialogFields = Omit<DialogJSON, 'v' | 'messages'>;

/**
 * Creates a dialog that begins with these messages.
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
      `The instructions of a dialog are ${quoteValue(instructions)}. Write a string.`,
    );
  }
  const fields = { id: createId('dialog'), ...(instructions === undefined ? {} : { instructions }) };
  return dialogOf(fields, []).append(messages);
}

/** Returns the dialog that `dialog.toJSON()` came from. @throws CuelineError `invalid_options` for anything else */
export function dialogFromJSON(json: unknown): Dialog {
  if (!isRecord(json) || typeof json['id'] !== 'string' || !Array.isArray(json['messages'])) {
    throw invalidDialogError('it is not an object with an id and messages');
  }
  if (json['v'] !== 1)
    throw invalidDialogError(`its version is ${quoteValue(json['v'])}, but this version of Cueline reads 1`);
  const { id, parentId, instructions, messages } = json as DialogJSON;
  for (const [name, value] of Object.entries({ parentId, instructions })) {
    if (value !== undefined && typeof value !== 'string')
      throw invalidDialogError(`its ${name} is not a string`);
  }
  const fields: DialogFields = {
    id,
    ...(parentId === undefined ? {} : { parentId }),
    ...(instructions === undefined ? {} : { instructions }),
  };
  try {
    return dialogOf(fields, []).append(messages as readonly ModelMessage[]);
  } catch (error) {
    throw invalidDialogError(thrownText(error));
  }
}

/** True for a dialog that {@link createDialog} or its methods returned. */
export function isDialog(value: unknown): value is Dialog {
  // also for another copy of this package
  return isRecord(value) && Array.isArray(value['messages']) && typeof value['toMessages'] === 'function';
}

/** `kept` are frozen, and plain JSON. */
function dialogOf(fields: DialogFields, kept: readonly ModelMessage[]): Dialog {
  Object.freeze(kept);
  const isPlain = kept.every((message) => reviveMessage(message) === message);
  return Object.freeze({
    ...fields,
    get messages() {
      // a URL object stays mutable inside a frozen object, so each reader gets its own
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
      return dialogOf(fields, [...kept, ...added]);
    },
    fork: () => dialogOf({ ...fields, id: createId('dialog'), parentId: fields.id }, kept),
    toMessages: () => kept.map((message) => reviveMessage(structuredClone(message))),
    toJSON: () => ({ v: 1 as const, ...fields, messages: kept }),
  });
}

function invalidDialogError(why: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `This cannot be read as a dialog: ${why}. Pass what dialog.toJSON() returned, or its text after JSON.parse.`,
  );
}
