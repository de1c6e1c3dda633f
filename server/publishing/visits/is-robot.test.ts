import { expect, it } from 'vitest'
import { isRobot } from './visit-counter.ts'

it('knows browsers from programs', () => {
  for (const agent of [
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  ]) {
    expect(isRobot(agent), agent).toBe(false)
    expect(isRobot(agent), agent).toBe(false)
  }
  for (const agent of [
    undefined,
    '',
    'curl/8.14.1',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
    `Mozilla/5.0 ${'x'.repeat(400)}`,
  ]) {
    expect(isRobot(agent), agent).toBe(true)
  }
})
