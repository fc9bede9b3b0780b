/** Tests a pattern of a stranger apart from the page, which ends this worker if it takes too long. */
addEventListener('message', ({ data }: MessageEvent<{ pattern: string; text: string }>) => {
  postMessage(new RegExp(data.pattern).test(data.text));
});
