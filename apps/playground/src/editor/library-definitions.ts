import * as monaco from 'monaco-editor/editor';
import { getTypeScriptWorker } from 'monaco-editor/languages/features/typescript/register';

/** Lets Go to Definition and Peek Definition find names of the library and the language, in read-only declarations. */
export function showLibraryDefinitions(): void {
  monaco.languages.registerDefinitionProvider('typescript', { provideDefinition });
  monaco.editor.registerEditorOpener({
    // another file cannot take the place of the script, so it is shown below the line
    openCodeEditor(editor, uri) {
      if (!isDeclaration(uri)) return false;
      editor.trigger('library', 'editor.action.peekDefinition', undefined);
      return true;
    },
  });
  monaco.editor.onDidCreateEditor((editor) => {
    editor.onDidChangeModel(({ newModelUrl }) =>
      editor.updateOptions({ readOnly: newModelUrl !== null && isDeclaration(newModelUrl) }),
    );
  });
}

/** True for a file of types: of a module, or of the language. Only TypeScript's thread has their texts at first. */
function isDeclaration({ path }: monaco.Uri): boolean {
  return path.endsWith('.d.ts');
}

/** Monaco's own provider finds only what is in a text model, so this one creates the models of declarations. */
async function provideDefinition(
  script: monaco.editor.ITextModel,
  position: monaco.Position,
): Promise<monaco.languages.Location[]> {
  const offset = script.getOffsetAt(position);
  const worker = await (await getTypeScriptWorker())(script.uri);
  // Monaco does not declare the fields
  const found = (await worker.getDefinitionAtPosition(script.uri.toString(), offset)) as
    | readonly { fileName: string; textSpan: { start: number; length: number } }[]
    | undefined;
  const locations = (found ?? []).map(async ({ fileName, textSpan: { start, length } }) => {
    const uri = monaco.Uri.parse(fileName);
    if (!isDeclaration(uri)) return [];
    const text = await worker.getScriptText(fileName);
    const model = monaco.editor.getModel(uri) ?? monaco.editor.createModel(text ?? '', 'typescript', uri);
    const [from, to] = [model.getPositionAt(start), model.getPositionAt(start + length)];
    return [{ uri, range: monaco.Range.fromPositions(from, to) }];
  });
  return (await Promise.all(locations)).flat();
}
