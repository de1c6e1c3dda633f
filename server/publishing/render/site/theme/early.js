// @ts-check
// Runs before the first paint: the theme that the reader chose, and that scripts work here.
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden; the system's theme is fine then.
}
document.documentElement.dataset.scripted = ''
