// Debian’s Chromium: one browser for all test files of a process, a new context for each visitor. Only names of this
// machine resolve, and all errors and requested hosts of a page are recorded.
import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

/** The headless shell takes half the processor time of the whole browser. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const quietly = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
]

/** Runs in every page. */
const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violated: ' + event.effectiveDirective + ' by ' + event.blockedURI))`

export const desktop = { viewport: { width: 1280, height: 800 } }
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

export interface Visitor {
  page: Page
  /** The texts of console errors, uncaught errors and violations of the content security policy. */
  complaints: string[]
  /** Host and port of all requests, without duplicates. */
  hosts: Set<string>
  /** Opens another tab of the same visitor, whose errors and hosts are recorded here, too. */
  openTab(): Promise<Page>
}

export interface Chromium {
  /** Creates a visitor with an empty profile, on a desktop by default. */
  visitor(options?: BrowserContextOptions): Promise<Visitor>
  /** Closes all of its pages. */
  close(): Promise<void>
}

/** Playwright ends it with the process. */
let running: Promise<Browser> | undefined

/** Throws an Error if Chromium is not installed, because a skipped test would look like a success. */
export async function launchChromium(): Promise<Chromium> {
  if (!(await running)?.isConnected()) running = launch()
  const browser = (await running) as Browser
  const contexts: BrowserContext[] = []
  return {
    async visitor(options) {
      const visitor = await openVisitor(browser, options)
      contexts.push(visitor.page.context())
      return visitor
    },
    async close() {
      for (const context of contexts) await context.close()
    },
  }
}

async function launch(): Promise<Browser> {
  const program = programs.find((path) => existsSync(path))
  if (!program) {
    throw new Error('Chromium is missing: run npm test, or apt-get install chromium-headless-shell')
  }
  return await chromium.launch({ executablePath: program, args: quietly })
}

async function openVisitor(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ ...desktop, reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(100_000)
  const complaints: string[] = []
  const hosts = new Set<string>()
  context.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host)
  })
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  context.on('weberror', (thrown) => complaints.push(String(thrown.error())))
  await context.addInitScript({ content: reportViolations })
  return { page: await context.newPage(), complaints, hosts, openTab: () => context.newPage() }
}
