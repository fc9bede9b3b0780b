import { PromptProvider } from '@cueline/react';
import { Suspense, useEffect } from 'react';
import { ChatPage } from './chat/chat-page.tsx';
import { FormPage } from './form/form-page.tsx';
import { pages, useRoute } from './route.ts';
import { setupOf, useExecutorName } from './run-executors.ts';
import { TasksPage } from './tasks/tasks-page.tsx';
import { TopBar } from './top-bar.tsx';

/** Every run below has an id, so it continues while another page is shown, and is stored. */
export function App() {
  const { page, runId } = useRoute();
  const executor = useExecutorName();
  const setup = setupOf(executor);
  useEffect(() => {
    document.title = `${pages[page]} · Cueline in React`;
  }, [page]);
  return (
    <PromptProvider {...setup}>
      <div className="flex h-dvh flex-col">
        <TopBar page={page} executor={executor} />
        <main tabIndex={-1} className="min-h-0 flex-1 outline-none">
          {/** until the storage has been read */}
          <Suspense key={`${executor} ${runId}`}>
            {page === 'chat' && <ChatPage id={runId} storage={setup.persist} />}
            {page === 'tasks' && <TasksPage id={runId} />}
            {page === 'form' && <FormPage id={runId} />}
          </Suspense>
        </main>
      </div>
    </PromptProvider>
  );
}
