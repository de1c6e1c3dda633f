// Queries with BIND's dig, so that our server is not tested with our own codec.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface DigResult {
  /** Such as `NOERROR aa`, with the flags besides `qr` and `rd`. */
  head: string
  /** A line for each record, such as `www.zoo.test 300 A 192.0.2.1`, sorted. */
  answer: string[]
  authority: string[]
  additional: string[]
  text: string
}

/**
 * `words` are the arguments of `dig`, such as `www.zoo.test AAAA +tcp`. Throws when dig is missing or gets no answer.
 */
export async function dig(address: string, port: number, words: string): Promise<DigResult> {
  if (!existsSync('/usr/bin/dig')) {
    throw new Error('/usr/bin/dig is missing: apt-get install bind9-dnsutils')
  }
  const options = ['+norecurse', '+tries=1', '+time=3', '+ignore', '+nocookie']
  const { stdout } = await run('/usr/bin/dig', [
    `@${address}`,
    '-p',
    String(port),
    ...options,
    ...words.split(' '),
  ])
  const [, status = 'no answer'] = /status: (\w+)/.exec(stdout) ?? []
  const [, flags = ''] = /flags: ([^;]*);/.exec(stdout) ?? []
  const kept = flags.split(' ').filter((flag) => !['qr', 'rd', ''].includes(flag))
  return {
    head: [status, ...kept].join(' '),
    answer: sectionOf(stdout, 'ANSWER'),
    authority: sectionOf(stdout, 'AUTHORITY'),
    additional: sectionOf(stdout, 'ADDITIONAL'),
    text: stdout,
  }
}

function sectionOf(text: string, name: string): string[] {
  const [, section = ''] = new RegExp(`;; ${name} SECTION:\n([\\s\\S]*?)\n\n`).exec(text) ?? []
  return section
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
    .map((line) => {
      const [owner = '', ttl, , type, ...data] = line.split(/\s+/)
      return [owner.replace(/\.$/, '') || '.', ttl, type, ...data].join(' ')
    })
    .sort()
}
