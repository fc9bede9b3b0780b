// Sets the theme before the first paint. A file of its own because the page's policy allows no inline script.
(function () {
  var choice = 'system';
  try {
    choice = JSON.parse(localStorage.getItem('cueline:playground')).state.theme || 'system';
  } catch {
    // Nothing stored, or storage is blocked: follow the system.
  }
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
