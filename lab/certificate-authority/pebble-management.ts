// What Pebble tells and lets itself be told beside ACME, on its management port: roots, the state of
// certificates, renewal windows.
import { request } from 'node:https'

export interface PebbleManagement {
  /** The root that ends the chains, PEM; 0 is the usual one, those after it are the alternatives. */
  root(number?: number): Promise<string>
  /** By serial number in hexadecimal; undefined for one that it has not issued. */
  certificateStatus(serial: string): Promise<CertificateStatus | undefined>
  /**
   * What is answered from now on when the renewal information of a certificate (PEM) is asked for: JSON text.
   * Gives false when this Pebble cannot be told.
   */
  setRenewalInfo(certificate: string, answer: string): Promise<boolean>
}

export interface CertificateStatus {
  status: 'Valid' | 'Revoked'
  /** RFC 5280, section 5.3.1. */
  reason: number | undefined
}

/** `root` is that of the HTTPS of this port. */
export function managePebble(at: {
  address: string
  port: number
  root: string
}): PebbleManagement {
  const ask = (method: string, path: string, body?: string) => fetchFrom(at, method, path, body)
  return {
    async root(number = 0) {
      const answer = await ask('GET', `/roots/${number}`)
      if (answer.status !== 200) throw new Error(`Pebble has no root ${number}`)
      return answer.text
    },
    async certificateStatus(serial) {
      const answer = await ask('GET', `/cert-status-by-serial/${serial}`)
      if (answer.status !== 200) return undefined
      const { Reason, Status } = JSON.parse(answer.text)
      return { status: Status, reason: Reason }
    },
    async setRenewalInfo(certificate, answer) {
      const body = JSON.stringify({ Certificate: certificate, ARIResponse: answer })
      const { status, text } = await ask('POST', '/set-renewal-info/', body)
      if (status === 404) return false
      if (status !== 200) throw new Error(`Pebble took no renewal window: ${status} ${text}`)
      return true
    },
  }
}

function fetchFrom(
  { address, port, root }: { address: string; port: number; root: string },
  method: string,
  path: string,
  body: string | undefined,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'Animal-Store-Lab' }
    const options = { host: address, port, path, method, headers, ca: root, agent: false } as const
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
