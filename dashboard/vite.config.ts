// Builds the dashboard into dist/, from where the server serves it (server/platform/dashboard).
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Those that know light-dark() by themselves.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Everything is a file of its own: the content security policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // While working on it: `npm run dashboard` serves it with the API of a server that runs.
  server: { proxy: { '/api': 'http://localhost:8080' } },
})
