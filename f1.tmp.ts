// how long a one-page deploy waits while another owner sends the worst archives
import { createTestDatabase } from './test/database.ts'
import { serveProcess } from './test/served-process.ts'
import { peopleAt } from './test/publishing/publishing-in-test.ts'
import { archiveOf } from './test/publishing/archive-of.ts'
const place = await createTestDatabase('sqlite')
const served = await serveProcess(place, { WORKERS: '1' })
const people = await peopleAt(served.port, new URL(served.setUpLink ?? '').hash.slice(1))
const [a, b] = [await people.member('paid'), await people.member('paid')]
await a.create('aaa'); await b.create('bbb')
let n = 0
const one = async () => { const t = performance.now(); const d = await b.deploy('bbb', archiveOf({ 'index.md': `# Page ${n++}` })); if (d.state !== 'live') throw new Error(d.state); return performance.now() - t }
const med = (x: number[]) => x.toSorted((p, q) => p - q)[x.length >> 1] ?? 0
const archives: Record<string, () => Record<string, string>> = {
  yamlKeys: () => ({ 'index.md': `# ${n++}`, 'site.yaml': Array.from({ length: 150_000 }, (_, i) => `k${i}: 1`).join('\n') }),
  refChain: () => ({ 'index.md': `# ${n++}`, 'openapi.json': JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {}, components: { schemas: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`S${i}`, { $ref: `#/components/schemas/S${i + 1}` }])) } }) }),
  code: () => Object.fromEntries([['index.md', `# ${n++}`], ...Array.from({ length: 60 }, (_, i) => [`p${i}.md`, `# p ${n}\n\`\`\`cpp\n${Array.from({ length: 2500 }, (_, j) => `template<typename T${j}> auto f${j}(T${j} x) { return x + "${i} ${n}"; }`).join('\n')}\n\`\`\`\n`] as [string, string])]),
  pages: () => Object.fromEntries([['index.md', `# ${n++}`], ...Array.from({ length: 400 }, (_, i) => [`p${i}.md`, Array.from({ length: 300 }, (_, j) => `## h ${j} ${n}\n\n- a **b** [c](p${j}.md) \`d\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`).join('\n')] as [string, string])]),
}
await one(); await one()
const quiet: number[] = []; for (let i = 0; i < 7; i++) quiet.push(await one())
console.log('alone', med(quiet).toFixed(0))
for (const [name, files] of Object.entries(archives)) {
  let stop = false, done = 0
  const flood = (async () => { while (!stop) { const d = await a.deploy('aaa', archiveOf(files())).catch((e) => ({ state: String(e).slice(0, 80) })); done++; if (done < 2) console.log(name, d.state) } })()
  await new Promise((r) => setTimeout(r, 1500))
  const waits: number[] = []; for (let i = 0; i < 9; i++) waits.push(await one())
  stop = true; await flood
  console.log(name, 'median', med(waits).toFixed(0), 'max', Math.max(...waits).toFixed(0), 'factor', (med(waits) / med(quiet)).toFixed(2), 'archives', done)
}
await served.end(); await place.release()
