declare module 'virtual:cueline-editor-types' {
  /** Address of the JSON with the declarations that the editor needs. */
  const url: string;
  export default url;
}

/** Parts of Monaco that are imported for what they register and come without declarations. */
declare module 'monaco-editor/editor/contrib/*';
