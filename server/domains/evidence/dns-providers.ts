// DNS providers, recognised by the names of their name servers, and whether they have ALIAS records at the
// apex. Public knowledge that changes slowly; unknown providers are not judged.

export interface Provider {
  name: string
  /** Whether an apex can be an alias of any name. Aliases only to the provider's own resources do not count. */
  hasAlias: boolean
}

const alias = (name: string): Provider => ({ name, hasAlias: true })
const none = (name: string): Provider => ({ name, hasAlias: false })

/** The end of a name server's name, whole labels; or a form where the names vary. */
const providers: readonly [RegExp, Provider][] = [
  [/\.ns\.cloudflare\.com$/, alias('Cloudflare')],
  [/(^|\.)dnsimple(-edge)?\.(com|net|org)$/, alias('DNSimple')],
  [/(^|\.)dnsmadeeasy\.com$/, alias('DNS Made Easy')],
  [/(^|\.)constellix\.(com|net)$/, alias('Constellix')],
  [/(^|\.)easydns\.(com|net|org|info)$/, alias('easyDNS')],
  [/(^|\.)nsone\.net$/, alias('NS1')],
  [/(^|\.)registrar-servers\.com$/, alias('Namecheap')],
  [/(^|\.)ns\.porkbun\.com$/, alias('Porkbun')],
  [/(^|\.)name\.com$/, alias('Name.com')],
  [/(^|\.)gandi\.net$/, alias('Gandi')],
  [/(^|\.)cloudns\.(net|uk|com)$/, alias('ClouDNS')],
  [/(^|\.)bunny\.net$/, alias('bunny.net')],
  [/(^|\.)vercel-dns\.com$/, alias('Vercel')],
  [/(^|\.)he\.net$/, alias('Hurricane Electric')],
  [/(^|\.)inwx\.(de|eu|net|com)$/, alias('INWX')],
  [/(^|\.)transip\.(net|nl|eu)$/, alias('TransIP')],
  [/(^|\.)luadns\.(net|com)$/, alias('LuaDNS')],
  [/(^|\.)exoscale\.(ch|com|io|net)$/, alias('Exoscale')],
  [/(^|\.)hosting\.de$/, alias('hosting.de')],
  [/(^|\.)awsdns-\d+\.(com|net|org|co\.uk)$/, none('Amazon Route 53')],
  [/(^|\.)azure-dns\.(com|net|org|info)$/, none('Azure DNS')],
  [/(^|\.)domaincontrol\.com$/, none('GoDaddy')],
  [/(^|\.)digitalocean\.com$/, none('DigitalOcean')],
  [/(^|\.)(ns\.hetzner\.(com|de)|first-ns\.de|second-ns\.(de|com))$/, none('Hetzner')],
  [/(^|\.)(ovh\.(net|ca)|anycast\.me)$/, none('OVHcloud')],
  [/(^|\.)linode\.com$/, none('Akamai Linode')],
  [/(^|\.)vultr\.com$/, none('Vultr')],
  [/(^|\.)ui-dns\.(com|de|org|biz|co\.uk)$/, none('IONOS')],
  [/(^|\.)wixdns\.net$/, none('Wix')],
  [/(^|\.)loopia\.se$/, none('Loopia')],
  [/(^|\.)(hichina|alidns)\.com$/, none('Alibaba Cloud')],
  [/(^|\.)desec\.(io|org)$/, none('deSEC')],
]

/** Known only if every name server is that provider's: a zone at two providers needs both to have ALIAS. */
export function findProvider(nameServers: readonly string[]): Provider | undefined {
  const found = nameServers.map((server) => {
    const name = server.toLowerCase().replace(/\.$/, '')
    return providers.find(([form]) => form.test(name))?.[1]
  })
  const [first] = found
  return found.every((provider) => provider === first) ? first : undefined
}
