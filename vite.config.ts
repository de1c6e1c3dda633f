// Bundles the server and the command line: a start loads a few files instead of hundreds. install.sh builds
// it into .cache/program, from where ./animal-store runs it.
import { basename, dirname, join, relative } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const root = import.meta.dirname
/** Every build folder is as deep as this one, so that paths from it to the sources are the same. */
const outDir = join(root, '.cache/program')

export default defineConfig({
  root,
  plugins: [sourceFolders(), workerThreads()],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir,
    target: 'node26',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      // Packages that load files of their own: pino a thread, shiki one of its 300 grammars.
      external: ['pino', 'pg-native', 'shiki/langs'],
      input: { main: join(root, 'server/cli/main.ts') },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})

/** `import.meta.dirname` is still the folder of the source file, where the files beside it are. */
function sourceFolders(): Plugin {
  return {
    name: 'source-folders',
    enforce: 'pre',
    transform(code, id) {
      if (!isSource(id) || !code.includes('import.meta.dirname')) return
      const folder = JSON.stringify(`/${relative(outDir, dirname(id))}`)
      return code.replaceAll('import.meta.dirname', `(import.meta.dirname + ${folder})`)
    },
  }
}

/** Gives the file of each worker thread a bundle of its own. */
function workerThreads(): Plugin {
  const worker = /new URL\('(\.\/[\w-]+-worker\.ts)', import\.meta\.url\)/g
  return {
    name: 'worker-threads',
    enforce: 'pre',
    transform(code, id) {
      if (!isSource(id)) return
      return code.replace(worker, (_, file: string) => {
        const fileName = basename(file).replace('.ts', '.js')
        const reference = this.emitFile({ type: 'chunk', id: join(dirname(id), file), fileName })
        return `import.meta.ROLLUP_FILE_URL_${reference}`
      })
    },
    resolveFileUrl: ({ fileName }) =>
      `new URL(${JSON.stringify(`./${fileName}`)}, import.meta.url)`,
  }
}

function isSource(id: string): boolean {
  return /^(client|server)\//.test(relative(root, id))
}
