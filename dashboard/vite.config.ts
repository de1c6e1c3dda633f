// Builds the dashboard into dist/, from where the server serves it (server/kit/dashboard).
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
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
    mantineStyles(),
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

/**
 * The styles of the Mantine components that the sources import, and of those that these are made of, in the order of
 * Mantine's styles.css.
 */
function mantineStyles(): Plugin {
  const folder = join(import.meta.dirname, '../node_modules/@mantine/core')
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const files = new Set<string>()
  function follow(file: string): void {
    if (files.has(file)) return
    files.add(file)
    for (const [, path = ''] of read(file).matchAll(/from "(\.[^"]+)"/g))
      follow(join(dirname(file), path))
  }
  return {
    name: 'mantine-styles',
    enforce: 'pre',
    transform(css, id) {
      if (!id.endsWith('/dashboard/mantine.css')) return undefined
      const sources = globSync('*/**/*.tsx', { cwd: import.meta.dirname }).concat('render-app.tsx')
      const imported = sources.flatMap((file) => {
        const text = readFileSync(join(import.meta.dirname, file), 'utf8')
        return /import \{([^}]+)\} from '@mantine\/core'/.exec(text)?.[1]?.match(/\w+/g) ?? []
      })
      for (const [, names = '', path = ''] of read('esm/index.mjs').matchAll(/{(.+)} from "(.+)"/g))
        if (imported.some((name) => names.split(/\W/).includes(name))) follow(join('esm', path))
      const all = read('styles.css')
      const imports = [...files]
        .filter((file) => file.endsWith('.module.mjs'))
        .map((file) => ({ file, at: all.indexOf(/m_[0-9a-f]+/.exec(read(file))?.[0] ?? '') }))
        .sort((a, b) => a.at - b.at)
        .map(({ file }) => `@import "@mantine/core/styles/${basename(file, '.module.mjs')}.css";`)
      return css.replace('@import "@mantine/core/styles.css";', imports.join('\n'))
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
