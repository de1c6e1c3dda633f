// Builds the dashboard into dist/, from where the server serves it (server/kit/dashboard).
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The server that `npm run dev` uses. */
const server = process.env.ANIMAL_STORE_URL ?? 'http://localhost:8080'
/** As server/kit/dashboard serves them. */
const signInPages = /^\/(sign-in(?:\/callback)?|set-up|invitation|password)(?=[?#]|$)/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    signInInDevelopment(),
    sourcesOutside(),
    completeStyles(),
    preloadedFont(),
    compressed(),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The first versions with light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // No inlined assets: the content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', 'sign-in.html'].map((page) => join(import.meta.dirname, page)),
    },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `npm run dev`: API requests and event streams are sent to the server, with its own origin.
  server: {
    // Builds of other commands.
    watch: { ignored: ['**/dashboard/dist*/**'] },
    proxy: {
      '/api': { target: server, changeOrigin: true, headers: { origin: new URL(server).origin } },
    },
  },
})

/** Serves the sign-in page at its addresses under `npm run dev`. */
function signInInDevelopment(): Plugin {
  return {
    name: 'sign-in-in-development',
    configureServer({ middlewares }) {
      middlewares.use((request, _, next) => {
        if (request.url && signInPages.test(request.url)) request.url = '/sign-in.html'
        next()
      })
    },
  }
}

/** Lists the files of server and client in the build, in `.sources`. */
function sourcesOutside(): Plugin {
  const root = join(import.meta.dirname, '..')
  return {
    name: 'sources-outside',
    generateBundle() {
      const files = [...this.getModuleIds()].map((id) => relative(root, id))
      const outside = files.filter((file) => /^(server|client)\//.test(file)).sort()
      this.emitFile({ type: 'asset', fileName: '.sources', source: `${outside.join('\n')}\n` })
    },
  }
}

/** Fails if mantine.css lacks the styles of a component. */
function completeStyles(): Plugin {
  const all = readFileSync(
    join(import.meta.dirname, '../node_modules/@mantine/core/styles.css'),
    'utf8',
  )
  const styled = new Set(all.match(/(?<=\.)m_[0-9a-f]+/g))
  return {
    name: 'complete-styles',
    generateBundle(_, bundle) {
      const files = Object.values(bundle)
      const styles = files
        .map((file) => (file.type === 'asset' ? String(file.source) : ''))
        .join('')
      const code = files.map((file) => (file.type === 'chunk' ? file.code : '')).join('')
      const used = new Set(code.match(/\bm_[0-9a-f]{6,8}\b/g)?.filter((name) => styled.has(name)))
      const missing = [...used].filter((name) => !styles.includes(`.${name}`))
      if (missing.length > 0) this.error(`mantine.css lacks the styles of ${missing.join(', ')}`)
    },
  }
}

/** Pages load the font with their styles, not after them: no text changes its font on the screen. */
function preloadedFont(): Plugin {
  return {
    name: 'preloaded-font',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        if (bundle === undefined) return []
        const font = Object.keys(bundle).find((name) => /geist-latin-wght-[^/]*\.woff2$/.test(name))
        if (font === undefined) throw new Error('the font of the dashboard is missing')
        const attrs = { rel: 'preload', href: `/${font}`, as: 'font', type: 'font/woff2' }
        return [{ tag: 'link', attrs: { ...attrs, crossorigin: true }, injectTo: 'head-prepend' }]
      },
    },
  }
}

/** Compresses each asset with brotli at its highest level, which is too slow for the server. */
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
