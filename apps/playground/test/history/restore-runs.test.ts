import 'fake-indexeddb/auto';
import { expect, test, vi } from 'vitest';
import { createDatabase } from '../../src/history/database.ts';
import { restoreRuns } from '../../src/history/history.ts';
import { usePlayground } from '../../src/state/store.ts';
import { drawToasts } from '../../src/ui/toast.ts';

test('after a reload, a run that cannot be read is reported, and a deleted one is not', async () => {
  const error = vi.fn();
  drawToasts({ error } as never);
  const database = await createDatabase().connect();
  await database.put('runs', { id: 'of another version' });
  usePlayground.setState({ storedRuns: { script: 'deleted' } });
  await restoreRuns();
  expect(error).not.toHaveBeenCalled();
  usePlayground.setState({ storedRuns: { script: 'deleted', prompts: 'of another version' } });
  await restoreRuns();
  expect(error).toHaveBeenCalledTimes(1);
  expect(error).toHaveBeenCalledWith('The last run could not be opened again.', expect.anything());
});
