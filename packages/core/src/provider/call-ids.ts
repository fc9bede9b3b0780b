import { createId } from '../base/create-id.ts';

/** Unique ids for the tool calls of one answer, whatever ids the model gives them. */
export type CallIds = {
  /** A call starts to stream its arguments. Returns its id. */
  begin(given: string): string;
  /** Returns the id of the call whose arguments continue; undefined if none has started. */
  current(given: string): string | undefined;
  /** Ends the arguments of a call. Returns its id; undefined if none has started. */
  end(given: string): string | undefined;
  /** Completes a call. `saying` is true if its arguments have started and not ended. */
  call(given: string): { id: string; saying: boolean };
  /** Returns the id of the last complete call that the model gave this id. */
  called(given: string): string;
  /** Calls that have started and are not complete. */
  readonly begun: readonly StartedCall[];
};

type StartedCall = { given: string; id: string; saying: boolean };

export function createCallIds(): CallIds {
  const used = new Set<string>();
  const whole = new Map<string, string>();
  const begun: StartedCall[] = [];

  function unique(given: string): string {
    const first = given === '' ? createId('call') : given;
    let id = first;
    for (let count = 2; used.has(id); count += 1) id = `${first}~${count}`;
    used.add(id);
    return id;
  }

  return {
    begin(given) {
      const id = unique(given);
      begun.push({ given, id, saying: true });
      return id;
    },
    // of two calls with one id, the later one is the one that streams
    current: (given) => begun.findLast((call) => call.given === given && call.saying)?.id,
    end(given) {
      const call = begun.find((candidate) => candidate.given === given && candidate.saying);
      if (call !== undefined) call.saying = false;
      return call?.id;
    },
    call(given) {
      const at = begun.findIndex((candidate) => candidate.given === given);
      const [call = { id: unique(given), saying: false }] = at === -1 ? [] : begun.splice(at, 1);
      whole.set(given, call.id);
      return { id: call.id, saying: call.saying };
    },
    called: (given) => whole.get(given) ?? given,
    begun,
  };
}
