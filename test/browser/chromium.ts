// Debian's Chromium for journeys: one browser for a file of tests, a fresh context for each visitor. Nothing
// but this machine's own names resolves, and whatever a page complains of or asks for is written down.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const program = '/usr/bin/chromium'

const quietly = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost',
]

/** Runs in every page. */
const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violated: ' + event.effectiveDirective + ' by ' + event.blockedURI))`

export const desktop = { viewport: { width: 1280, height: 800 } }
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

export interface Visitor {
  page: Page
  /** Console errors, uncaught errors and violations of the content security policy, in words. */
  complaints: string[]
  /** The host and port of every request, each once. */
  hosts: Set<string>
  /** Another tab of the same visitor, whose complaints and hosts are gathered in the same place. */
  openTab(): Promise<Page>
}

export interface Chromium {
  /** A visitor with an empty profile, on a desktop unless the options say otherwise. */
  visitor(options?: BrowserContextOptions): Promise<Visitor>
  /** Ends the browser with everything that is open. */
  close(): Promise<void>
}

/** Throws when Chromium is not installed: a journey that nobody goes is not a success. */
export async function launchChromium(): Promise<Chromium> {
  if (!existsSync(program)) {
    throw new Error(`${program} is missing: npm test installs it, as does apt-get install chromium`)
  }
  const browser = await chromium.launch({ executablePath: program, args: quietly })
  return {
    visitor: (options) => openVisitor(browser, options),
    close: () => browser.close(),
  }
}

async function openVisitor(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ ...desktop, reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(10_000)
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
