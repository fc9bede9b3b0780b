import { createId } from '../base/create-id.ts';

/** Unique ids for the tool calls of one answer, whatever ids the model gives them. */
export type CallIds = {
  /** A call starts to stream its arguments. Returns its id. */
  begin(idFromModel: string): string;
  /** Returns the id of the call whose arguments continue; undefined if none has started. */
  current(idFromModel: string): string | undefined;
  /** Ends the arguments of a call. Returns its id; undefined if none has started. */
  end(idFromModel: string): string | undefined;
  /** Completes a call. `streaming` is true if its arguments have started and not ended. */
  call(idFromModel: string): { id: string; streaming: boolean };
  /** Returns the id of the last complete call that the model gave this id. */
  idOf(idFromModel: string): string;
  /** Calls that have started and are not complete. */
  readonly unfinished: readonly StartedCall[];
};

type StartedCall = { idFromModel: string; id: string; streaming: boolean };

export function createCallIds(): CallIds {
  const used = new Set<string>();
  /** The last number of a repeated id, so that many calls with one id do not try all numbers before it. */
  const last = new Map<string, number>();
  const whole = new Map<string, string>();
  const unfinished: StartedCall[] = [];

  function unique(idFromModel: string): string {
    const first = idFromModel === '' ? createId('call') : idFromModel;
    let count = last.get(first) ?? 1;
    let id = first;
    for (; used.has(id); id = `${first}~${count}`) count += 1;
    if (count > 1) last.set(first, count);
    used.add(id);
    return id;
  }

  return {
    begin(idFromModel) {
      const id = unique(idFromModel);
      unfinished.push({ idFromModel, id, streaming: true });
      return id;
    },
    // of two calls with one id, the later one is the one that streams
    current: (idFromModel) =>
      unfinished.findLast((call) => call.idFromModel === idFromModel && call.streaming)?.id,
    end(idFromModel) {
      const call = unfinished.find(
        (candidate) => candidate.idFromModel === idFromModel && candidate.streaming,
      );
      if (call !== undefined) call.streaming = false;
      return call?.id;
    },
    call(idFromModel) {
      const at = unfinished.findIndex((candidate) => candidate.idFromModel === idFromModel);
      const [call = { id: unique(idFromModel), streaming: false }] =
        at === -1 ? [] : unfinished.splice(at, 1);
      whole.set(idFromModel, call.id);
      return { id: call.id, streaming: call.streaming };
    },
    idOf: (idFromModel) => whole.get(idFromModel) ?? idFromModel,
    unfinished: unfinished,
  };
}
