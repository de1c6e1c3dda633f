// Builds the dashboard into dist/, from where the server serves it (server/platform/dashboard).
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin, type Rolldown } from 'vite'
import { pageFrames } from './platform/page-frames.ts'

/** The server that `npm run dev` uses. */
const server = process.env.ANIMAL_STORE_URL ?? 'http://localhost:8080'
/** As server/platform/dashboard serves them. */
const signInPages = /^\/(sign-in(?:\/callback)?|set-up|invitation|password)(?=[?#]|$)/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    signInInDevelopment(),
    sourcesOutside(),
    completeStyles(),
    preloadedFont(),
    framedPages(),
    pageTexts(),
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

/**
 * The dashboard's page: its frame is painted before the script starts, and frames.json lists the files of each page,
 * which the server adds (server/platform/dashboard/page-frames.ts).
 */
function framedPages(): Plugin {
  const entry = /<script type="module" crossorigin src="([^"]+)"><\/script>/
  const preload = / *<link rel="modulepreload" crossorigin href="([^"]+)">\n/g
  return {
    name: 'framed-pages',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, path }) {
        if (path !== '/index.html') return html
        if (bundle === undefined)
          return html.replace(/%(LINKS|FRAME)%/g, '').replace('%TITLE%', 'Animal Store')
        const [tag, source] = entry.exec(html) ?? []
        if (tag === undefined || source === undefined) throw new Error('the entry is missing')
        const scripts = [source]
        const page = html.replace(tag, '').replaceAll(preload, (_, href: string) => {
          scripts.push(href)
          return ''
        })
        const start = startAfterPaint(scripts)
        return page.replace('</body>', `  <script>${start}</script>\n  </body>`)
      },
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/index.html'))
        if (main === undefined) throw new Error('the entry is missing')
        const loaded = new Set(filesOf(bundle, main.fileName))
        const frames = pageFrames.map(({ files, ...frame }) => {
          const found = files.flatMap((file) => {
            const module = join(import.meta.dirname, file)
            const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === module)
            if (chunk === undefined) throw new Error(`${file} is no page`)
            return filesOf(bundle, chunk.fileName)
          })
          const own = [...new Set(found)].filter((file) => !loaded.has(file))
          return {
            ...frame,
            scripts: own.filter((file) => file.endsWith('.js')),
            styles: own.filter((file) => file.endsWith('.css')),
          }
        })
        const source = JSON.stringify(frames)
        this.emitFile({ type: 'asset', fileName: 'frames.json', source })
      },
    },
  }
}

/** The first texts of pages, for the server: it computes them from what the pages request. */
function pageTexts(): Plugin {
  return {
    name: 'page-texts',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      await build({
        configFile: false,
        root: import.meta.dirname,
        logLevel: 'warn',
        build: {
          ssr: 'page-texts.ts',
          outDir: dir,
          emptyOutDir: false,
          rolldownOptions: { output: { entryFileNames: '[name].mjs' } },
        },
      })
    },
  }
}

/** A chunk, all that it imports, and their styles. */
function filesOf(bundle: Rolldown.OutputBundle, name: string, seen = new Set<string>()): string[] {
  const chunk = bundle[name]
  if (chunk?.type !== 'chunk' || seen.has(name)) return []
  seen.add(name)
  const styles = [...(chunk.viteMetadata?.importedCss ?? [])]
  return [name, ...styles, ...chunk.imports.flatMap((each) => filesOf(bundle, each, seen))]
}

/**
 * Loads the scripts of the entry and of the page (`data-scripts` of the frame) after the first paint, so that they do
 * not delay its styles and font. A page that is not visible is not painted.
 */
function startAfterPaint([source, ...imports]: string[]): string {
  return `
      {
        let isStarted = false
        const add = (tag, properties) =>
          document.head.append(Object.assign(document.createElement(tag), { crossOrigin: '', ...properties }))
        const start = () => {
          if (isStarted) return
          isStarted = true
          add('script', { type: 'module', src: "${source}" })
          const page = document.getElementById('frame')?.dataset.scripts?.split(' ') ?? []
          for (const href of [...${JSON.stringify(imports)}, ...page]) add('link', { rel: 'modulepreload', href })
        }
        if (document.hidden) start()
        else requestAnimationFrame(() => setTimeout(start))
        setTimeout(start, 500)
      }
    `
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
