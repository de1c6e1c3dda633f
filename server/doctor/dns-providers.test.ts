import { describe, expect, it } from 'vitest'
import { findProvider } from './evidence.ts'

describe('findProvider', () => {
  it.each([
    [['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'], 'Cloudflare', true],
    [['dns1.registrar-servers.com', 'dns2.registrar-servers.com'], 'Namecheap', true],
    [['ns-123-a.gandi.net'], 'Gandi', true],
    [['ns1.dnsimple.com', 'ns2.dnsimple-edge.net'], 'DNSimple', true],
    [['ns-1.awsdns-00.com', 'ns-2.awsdns-11.co.uk'], 'Amazon Route 53', false],
    [['ns01.domaincontrol.com.', 'NS02.DOMAINCONTROL.COM'], 'GoDaddy', false],
    [['ns1-01.azure-dns.com', 'ns2-01.azure-dns.net'], 'Azure DNS', false],
    [['hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com'], 'Hetzner', false],
  ])('knows %j', (servers, name, hasAlias) => {
    expect(findProvider(servers)).toMatchObject({ name, hasAlias })
  })

  it.each([
    [[]],
    [['ns1.example.net']],
    [['ada.ns.cloudflare.com', 'ns1.example.net']],
    [['ns1.digitalocean.com', 'ns1.linode.com']],
    [['evilgandi.net']],
    [['ada.ns.cloudflare.com.example.net']],
  ])('judges none for %j', (servers) => {
    expect(findProvider(servers)).toBeUndefined()
  })
})
