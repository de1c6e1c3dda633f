// Bundles the server and the command line: a start loads a few files instead of hundreds. install.sh builds
// it into .cache/program, from where ./animal-store runs it.
import { builtinModules as builtinNames } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const root = import.meta.dirname
/** Every build folder is as deep as this one, so that paths from it to the sources are the same. */
const outDir = join(root, '.cache/program')

export default defineConfig({
  root,
  plugins: [sourceFolders(), workerThreads(), builtinModules(), oneByteText()],
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
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // V8 keeps the text of what it runs.
        comments: { legal: true, annotation: false, jsdoc: false },
      },
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

/** Gives the file of each worker thread, and of the renderer's process, a bundle of its own. */
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

/**
 * Takes from Node's own modules what is used. An import of `node:http` reads all that it exports, and so loads an HTTP
 * client, WebSocket and streams of the web: 25 ms of each start, and 16 MB.
 */
function builtinModules(): Plugin {
  const prefix = '\0builtin:'
  return {
    name: 'builtin-modules',
    enforce: 'pre',
    resolveId(source, _importer, { kind }) {
      const name = source.replace(/^node:/, '')
      const isKnown = source.startsWith('node:') || builtinNames.includes(name)
      return isKnown && kind === 'import-statement' ? `${prefix}node:${name}` : undefined
    },
    load(id) {
      if (!id.startsWith(prefix)) return
      const name = id.slice(prefix.length)
      const builtin = process.getBuiltinModule(name) as object
      const names = Object.keys(builtin).filter(
        (key) => /^[A-Za-z_]\w*$/.test(key) && key !== 'default',
      )
      return [
        `const builtin = process.getBuiltinModule('${name}')`,
        'const read = (key) => builtin[key]',
        'export default builtin',
        ...names.map((key) => `const ${key}_ = /* @__PURE__ */ read('${key}')`),
        `export { ${names.map((key) => `${key}_ as ${key}`).join(', ')} }`,
      ].join('\n')
    },
  }
}

/** Escapes what is not Latin-1: V8 would keep the text of the whole file with two bytes for each character. */
function oneByteText(): Plugin {
  return {
    name: 'one-byte-text',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === 'chunk') chunk.code = chunk.code.replaceAll(/[^\0-\xff]/g, escapeUnit)
      }
    },
  }
}

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

function isSource(id: string): boolean {
  return /^(client|server)\//.test(relative(root, id))
}
