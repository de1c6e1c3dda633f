// @ts-check
// Runs before the first paint: applies the chosen theme and marks the page as scripted.
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage the theme of the system is used.
}
document.documentElement.dataset.scripted = ''
