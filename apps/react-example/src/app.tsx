import { PromptProvider } from '@cueline/react';
import { indexedDbStorage } from '@cueline/react/indexeddb';
import { Suspense, useEffect } from 'react';
import { ChatPage } from './chat/chat-page.tsx';
import { simulatedModel } from './demo/simulated-model.ts';
import { FormPage } from './form/form-page.tsx';
import { pages, useRoute } from './route.ts';
import { TasksPage } from './tasks/tasks-page.tsx';
import { TopBar } from './top-bar.tsx';

const storage = indexedDbStorage({ databaseName: 'cueline-react-example' });

/** Every run below has an id, so it goes on while another page is shown, and is kept over a reload. */
export function App() {
  const { page, runId } = useRoute();
  useEffect(() => {
    document.title = `${pages[page]} · Cueline in React`;
  }, [page]);
  return (
    <PromptProvider model={simulatedModel} persist={storage}>
      <div className="flex h-dvh flex-col">
        <TopBar page={page} />
        <main className="min-h-0 flex-1">
          {/* until it is known what is stored */}
          <Suspense key={runId}>
            {page === 'chat' && <ChatPage id={runId} storage={storage} />}
            {page === 'tasks' && <TasksPage id={runId} />}
            {page === 'form' && <FormPage id={runId} />}
          </Suspense>
        </main>
      </div>
    </PromptProvider>
  );
}
