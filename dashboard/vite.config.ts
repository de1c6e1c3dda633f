// Builds the dashboard into dist/, from where the server serves it (server/platform/dashboard).
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const server = 'http://localhost:8080'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), sourcesElsewhere(), compressed()],
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
  // While working on it: shows each change at once, and asks a server that runs.
  server: {
    proxy: { '^/(api|account-pages|sign-in)': { target: server, headers: { origin: server } } },
  },
})

/** Writes into `.sources` which files of the server and the client went into the build. */
function sourcesElsewhere(): Plugin {
  const root = join(import.meta.dirname, '..')
  return {
    name: 'sources-elsewhere',
    generateBundle() {
      const files = [...this.getModuleIds()].map((id) => relative(root, id))
      const elsewhere = files.filter((file) => /^(server|client)\//.test(file)).sort()
      this.emitFile({ type: 'asset', fileName: '.sources', source: `${elsewhere.join('\n')}\n` })
    },
  }
}

/** Puts beside each asset what brotli makes of it at its best, for which the server has no time. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((each) => /\.(js|css)$/.test(each))) {
        const path = join(dir, name)
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)))
      }
    },
  }
}
