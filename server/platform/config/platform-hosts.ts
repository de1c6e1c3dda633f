// What the configuration says of where the program itself is found.
import type { Config } from './config.ts'

/** The program's own hosts, beside those below the platform's. */
export function ownHostsOf({
  baseUrl,
  dashboardUrl,
  stagingBaseUrl,
}: Pick<Config, 'baseUrl' | 'dashboardUrl' | 'stagingBaseUrl'>): string[] {
  return [baseUrl, stagingBaseUrl, dashboardUrl].map(({ hostname }) => hostname)
}

/** By which visitors reach HTTPS here; undefined while it is off. */
export function visitorsHttpsPort({
  httpsPort,
  publicHttpsPort,
}: Pick<Config, 'httpsPort' | 'publicHttpsPort'>): number | undefined {
  return httpsPort === undefined ? undefined : publicHttpsPort
}
