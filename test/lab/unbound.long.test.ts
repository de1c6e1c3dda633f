// A real Unbound with the lab's name servers: another resolver walks from the lab's root and gets correct answers.
// Unbound follows referrals only to port 53, which only root can bind.
// In npm test: test/lab/dns-answers.test.ts.
import { expect, onTestFinished, test } from 'vitest'
import { startUnbound } from '../dns/real-servers.ts'
import { dig } from './dig.ts'
import { startedLab } from './started-lab.ts'

test('Unbound resolves all names from the root', async () => {
  const lab = await startedLab({ dnsPort: 53 })
  await lab.ask('POST /domains', { name: 'mossy.example', provider: 'burrow' })
  const add = async (name: string, type: string, value: string) => {
    await lab.ask('POST /domains/mossy.example/records', { name, type, value, ttlSeconds: 300 })
  }
  await add('docs', 'CNAME', 'docs.animal-store.test.')
  await add('@', 'ALIAS', 'docs.animal-store.test.')
  await add('@', 'CAA', '0 issue "ca.example"')
  await add('@', 'MX', '10 mail.mossy.example.')
  await add('*.wild', 'A', '192.0.2.9')
  await add('web', 'HTTPS', '1 . alpn=h2 ipv4hint=192.0.2.1')
  await add('a.b.c', 'TXT', 'deep')
  for (let i = 0; i < 30; i++) await add('big', 'TXT', `${i} `.padEnd(60, 'x'))
  const address = lab.topology.resolver.replace(/\d+$/, '54')
  const unbound = await startUnbound(lab.folder, address, { address: lab.topology.root })
  onTestFinished(unbound.stop)
  const ask = async (words: string) => {
    const { answer, head } = await dig(address, 53, `${words} +recurse`)
    return [head, ...answer.map((line) => line.split(' ').toSpliced(1, 1).join(' '))]
  }
  const rows: Record<string, string[]> = {
    'docs.mossy.example A': [
      'NOERROR ra',
      'docs.animal-store.test A 127.0.0.1',
      'docs.mossy.example CNAME docs.animal-store.test.',
    ],
    'mossy.example A': ['NOERROR ra', 'mossy.example A 127.0.0.1'],
    'mossy.example CAA': ['NOERROR ra', 'mossy.example CAA 0 issue "ca.example"'],
    'mossy.example MX': ['NOERROR ra', 'mossy.example MX 10 mail.mossy.example.'],
    'mossy.example AAAA': ['NOERROR ra'],
    'some.wild.mossy.example A': ['NOERROR ra', 'some.wild.mossy.example A 192.0.2.9'],
    'a.b.c.mossy.example TXT': ['NOERROR ra', 'a.b.c.mossy.example TXT "deep"'],
    'b.c.mossy.example A': ['NOERROR ra'],
    'web.mossy.example HTTPS': [
      'NOERROR ra',
      'web.mossy.example HTTPS 1 . alpn="h2" ipv4hint=192.0.2.1',
    ],
    'nothing.mossy.example A': ['NXDOMAIN ra'],
    'other.example A': ['NXDOMAIN ra'],
    'ns1.burrow.test A': [
      'NOERROR ra',
      `ns1.burrow.test A ${lab.topology.providerServers.burrow[0]}`,
    ],
  }
  for (const [words, expected] of Object.entries(rows))
    expect(await ask(words), words).toEqual(expected)
  expect(await ask('big.mossy.example TXT +tcp')).toHaveLength(31)
})
