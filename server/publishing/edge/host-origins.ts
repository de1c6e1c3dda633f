// How a host of a customer is called in an address: by which scheme, at which port.
import type { Config } from '../../platform/config/config.ts'

export interface HostOrigins {
  /** Without a slash at the end, such as `https://docs.example.com`. */
  of(host: string, isSecure: boolean): string
}

export function hostOrigins({
  dashboardUrl,
  httpsPort,
  publicHttpsPort,
}: Pick<Config, 'dashboardUrl' | 'httpsPort' | 'publicHttpsPort'>): HostOrigins {
  const secure = publicHttpsPort === 443 ? '' : `:${publicHttpsPort}`
  // Where HTTPS is not ours it is that of a proxy in front, which the dashboard's address tells.
  const { port, protocol } = dashboardUrl
  const plain = port === '' || protocol === 'https:' ? '' : `:${port}`
  const withoutHttps = protocol === 'https:' ? `https://` : 'http://'
  return {
    of(host, isSecure) {
      if (httpsPort === undefined) return `${withoutHttps}${host}${port === '' ? '' : `:${port}`}`
      return isSecure ? `https://${host}${secure}` : `http://${host}${plain}`
    },
  }
}
