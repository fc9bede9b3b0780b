import { createId } from '../base/create-id.ts';

/** Ids for the tool calls of one answer, each of which is another, whatever the model gives them. */
export type CallIds = {
  /** A call begins to say its arguments. Gives its id. */
  begin(given: string): string;
  /** The id of the call that goes on with its arguments; undefined where none has begun. */
  current(given: string): string | undefined;
  /** The arguments of a call are complete. Undefined where none has begun. */
  end(given: string): string | undefined;
  /** A call is whole. `saying`: its arguments had begun and nobody has said that they are complete. */
  call(given: string): { id: string; saying: boolean };
  /** The id of the last whole call that the model gave this id. */
  called(given: string): string;
  /** Calls that have begun and are not whole. */
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
    // of two calls with one id, the later one is the one that is being said
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
