import { once } from 'node:events'
import { connect } from 'node:net'
import { it, onTestFinished } from 'vitest'
import { requestText } from '../raw-connection.ts'
import { countReads } from '../sites/counted-reads.ts'
import { servePublishedSites } from '../sites/published-site.ts'

it.each([0.9, 1.5, 8, 20])('repro %s MB', async (mb) => {
  const reads = countReads()
  const sites = await servePublishedSites('sqlite', { between: reads.between })
  onTestFinished(() => sites.release())
  await sites.publish('docs', { 'a.bin': Buffer.alloc(mb * 1024 * 1024, 'xyz'), 'index.html': 'x' })
  const text = requestText('GET', '/a.bin', { Host: 'docs.docs.localhost' }).repeat(500)
  const sockets = []
  for (let i = 0; i < 10; i++) {
    const socket = connect(sites.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(text)
    sockets.push(socket)
  }
  for (let i = 0; i < 20; i++) await sites.ask('/')
  const before = process.cpuUsage()
  const start = performance.now()
  for (const s of sockets) s.destroy()
  for (let i = 0; i < 100; i++) await sites.ask('/')
  console.log(mb, 'ms', performance.now() - start, process.cpuUsage(before).user / 1000, reads.contents.length)
  console.log((await sites.metrics.registry.metrics()).split('\n').filter((l) => /requests_total|_count/.test(l) && /sites/.test(l)))
})
