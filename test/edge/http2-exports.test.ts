// An export is written in short pieces of text: over HTTP/2 the bytes are those of HTTP/1.1, and no other memory.
import { expect, onTestFinished, test } from 'vitest'
import { certifiedPort } from '../certified-port.ts'
import { createHttp2Sender } from '../fuzz/send-raw.ts'
import { startPublishing } from '../publishing/publishing-in-test.ts'

test('an export over HTTP/2 has the bytes of the export over HTTP/1.1', async () => {
  const people = await startPublishing('sqlite')
  onTestFinished(() => people.release())
  const token = await people.operator.token()
  const { httpsPort } = people.store.running.config
  const http2 = createHttp2Sender(await certifiedPort(httpsPort, ['localhost']))
  onTestFinished(() => http2.close())
  const path = '/store/production/pets/export?form=json'
  const { text } = await people.anonymous(path, { token })
  expect(text).toBe('[\n]\n')
  for (let i = 0; i < 10; i++) {
    const headers = ['authorization', `Bearer ${token}`]
    const sent = { host: 'localhost', method: 'GET', path: `/api${path}`, headers }
    expect((await http2.send(sent))?.body.toString('latin1')).toBe(text)
  }
})
