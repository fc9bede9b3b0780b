type PageServer = {
  /** The address of its proxy and its route. */
  url: string;
  /** The model that it has a key for, as `provider:model`. */
  model: string;
  /** True for a stand-in. */
  isSimulated: boolean;
};

/** The server that delivered this page, which has written this into it; undefined on a plain static host. */
export const pageServer: PageServer | undefined = findServer();

function findServer(): PageServer | undefined {
  const tag = document.querySelector<HTMLMetaElement>('meta[name=cueline-server]');
  if (tag === null) return undefined;
  const { model = '' } = tag.dataset;
  return { url: tag.content, model, isSimulated: model === 'openai:simulated' };
}
