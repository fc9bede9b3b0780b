import { beforeEach, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { prepareRuns } from '../../src/state/script-runner.ts';
import { usePlayground } from '../../src/state/store.ts';

const { prepare } = vi.hoisted(() => ({ prepare: vi.fn<Sandbox['prepare']>() }));

vi.mock('../../src/sandbox/index.ts', () => ({
  createSandbox: () => ({ warm: () => {}, prepare, dispose: () => {} }),
}));

const store = () => usePlayground.getState();

beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  prepare.mockClear();
});

test('a script from a link is not compiled before the user has run or edited it', async () => {
  store().replaceScript('// foreign', { origin: 'link' });
  await prepareRuns();
  store().edit('// foreign, edited');
  await prepareRuns();
  expect(prepare.mock.calls).toEqual([[undefined], ['// foreign, edited']]);
});
