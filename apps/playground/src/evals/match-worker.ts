/** Tests a pattern from a link in a worker, which the page ends if it takes too long. */
addEventListener('message', ({ data }: MessageEvent<{ pattern: string; text: string }>) => {
  postMessage(new RegExp(data.pattern).test(data.text));
});

// the page counts the time from here
postMessage('ready');
