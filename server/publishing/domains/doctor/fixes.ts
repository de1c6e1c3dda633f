// Formats the fix of a diagnostic for tools: zone file, nsupdate, Terraform, and the dig command that shows the
// result. Values come from untrusted zones, so each format quotes by its own rules.
import type { Fix, PlainRecord } from './diagnostic.ts'

export interface FixForm {
  tool: 'zone-file' | 'nsupdate' | 'terraform-route53' | 'terraform-cloudflare' | 'dig'
  text: string
}

/** The zone that holds the records, and one of its name servers if known. */
interface FixPlace {
  zone: string
  nameServer: string | undefined
}

/** One form for each tool that can apply the fix; none for a fix without records. Lines end with `\n`. */
export function fixForms(fix: Fix, place: FixPlace): FixForm[] {
  const forms: [FixForm['tool'], string | undefined][] = [
    ['zone-file', zoneFile(fix, place)],
    ['nsupdate', nsupdate(fix, place)],
    ['terraform-route53', route53(fix)],
    ['terraform-cloudflare', cloudflare(fix)],
    ['dig', dig(fix, place)],
  ]
  return forms.flatMap(([tool, text]) => (text === undefined ? [] : [{ tool, text: `${text}\n` }]))
}

function zoneFile({ add, remove }: Fix, { zone }: FixPlace): string | undefined {
  if (add.length + remove.length === 0) return undefined
  const line = (record: PlainRecord) =>
    `${relative(record.name, zone)} ${record.ttlSeconds} IN ${record.type} ${rdata(record)}`
  return [
    `$ORIGIN ${escaped(zone)}.`,
    ...remove.map((r) => `; delete: ${line(r)}`),
    ...add.map(line),
  ].join('\n')
}

/** Undefined for a fix with an ALIAS record: RFC 2136 does not have the type. */
function nsupdate({ add, remove }: Fix, { zone, nameServer }: FixPlace): string | undefined {
  if (add.length + remove.length === 0 || add.some(isAlias)) return undefined
  const server = nameServer !== undefined && isPlainName(nameServer) ? [`server ${nameServer}`] : []
  return [
    ...server,
    `zone ${escaped(zone)}.`,
    ...remove.map((r) => `update delete ${escaped(r.name)}. ${r.type} ${rdata(r)}`),
    ...add.map((r) => `update add ${escaped(r.name)}. ${r.ttlSeconds} ${r.type} ${rdata(r)}`),
    'send',
  ].join('\n')
}

/**
 * Route 53 has one resource for all records of a name and type, which would replace those that are there: only a CNAME,
 * which stands alone, has such a form. Its aliases can point only to AWS resources.
 */
function route53({ add, remove }: Fix): string | undefined {
  if (add.length === 0 || add.some(({ type }) => type !== 'CNAME')) return undefined
  const blocks = add.map((record) => {
    const records = `  records = ["${hcl(bare(record))}"]`
    return terraform('aws_route53_record', record, record.type, [records])
  })
  return [...deletions(remove), ...blocks].join('\n')
}

/** Cloudflare flattens a CNAME at the apex, so ALIAS becomes CNAME. */
function cloudflare({ add, remove }: Fix): string | undefined {
  if (add.length === 0) return undefined
  const blocks = add.map((record) => {
    const type = isAlias(record) ? 'CNAME' : record.type
    const proxied = ['A', 'AAAA', 'CNAME'].includes(type) ? ['  proxied = false'] : []
    return terraform('cloudflare_dns_record', record, type, [cloudflareContent(record), ...proxied])
  })
  return [...deletions(remove), ...blocks].join('\n')
}

function terraform(resource: string, record: PlainRecord, type: string, content: string[]): string {
  return [
    `resource "${resource}" "${label(record)}" {`,
    '  zone_id = var.zone_id',
    `  name    = "${hcl(record.name)}"`,
    `  type    = "${type}"`,
    `  ttl     = ${record.ttlSeconds}`,
    ...content,
    '}',
  ].join('\n')
}

function cloudflareContent(record: PlainRecord): string {
  const caa = record.type === 'CAA' ? readCaa(record.value) : undefined
  if (caa) {
    return `  data    = { flags = ${caa.flags}, tag = "${caa.tag}", value = "${hcl(caa.value)}" }`
  }
  if (record.type !== 'TXT') return `  content = "${hcl(bare(record))}"`
  const strings = pieces(record.value).map((piece) => `\\"${piece}\\"`)
  return `  content = "${strings.join(' ')}"`
}

function dig({ add, remove }: Fix, { nameServer }: FixPlace): string | undefined {
  const at = nameServer !== undefined && isPlainName(nameServer) ? ` @${nameServer}` : ''
  const records = (add.length > 0 ? add : remove).filter(({ name }) => isPlainName(name))
  const lines = records.flatMap(({ name, type }) =>
    (type === 'ALIAS' ? ['A', 'AAAA'] : [type]).map((t) => `dig +norecurse${at} ${name} ${t}`),
  )
  return lines.length === 0 ? undefined : [...new Set(lines)].join('\n')
}

const isAlias = ({ type }: PlainRecord) => type === 'ALIAS'

/** Whether a shell or a script reads the text as a plain name. */
function isPlainName(name: string): boolean {
  return /^[a-z0-9_]([a-z0-9._-]*[a-z0-9])?$/i.test(name)
}

function deletions(remove: readonly PlainRecord[]): string[] {
  return remove.map((r) => `# Delete: ${escaped(r.name)} ${r.type} ${rdata(r)}`)
}

function relative(name: string, zone: string): string {
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? escaped(name.slice(0, -zone.length - 1)) : `${escaped(name)}.`
}

/** The value in zone file syntax (RFC 1035, section 5.1). */
function rdata(record: PlainRecord): string {
  if (record.type === 'TXT') return quotedStrings(record.value).join(' ')
  if (record.type === 'CAA') {
    const caa = readCaa(record.value)
    return caa
      ? `${caa.flags} ${caa.tag} ${quotedStrings(caa.value).join('')}`
      : escaped(record.value)
  }
  return record.type === 'A' || record.type === 'AAAA'
    ? escaped(record.value)
    : `${escaped(record.value)}.`
}

/** The value without a trailing dot. */
function bare({ type, value }: PlainRecord): string {
  return type === 'CAA' ? value : escaped(value)
}

function readCaa(value: string) {
  const [, flags, tag, text] = /^(\d{1,3}) ([a-z0-9]+) "(.*)"$/is.exec(value) ?? []
  return flags && tag && text !== undefined ? { flags, tag, value: text } : undefined
}

/** Escapes characters that end a name, a line or a string as `\DDD`. */
function escaped(text: string): string {
  return unitsOf(text)
    .map(({ text: unit, isEscape }) =>
      isEscape || /[a-z0-9._*:/-]/i.test(unit) ? unit : numbered(unit),
    )
    .join('')
}

const maxBytes = 255

/** Strings of at most 255 bytes each, in quotes (RFC 1035, section 3.3). */
function quotedStrings(value: string): string[] {
  return chunks(value).map((units) => {
    const text = units.map(({ text: unit, isEscape }) => {
      if (/^["\\]$/.test(unit)) return `\\${unit}`
      return isEscape || /[\x20-\x7e]/.test(unit) ? unit : numbered(unit)
    })
    return `"${text.join('')}"`
  })
}

/** The same without quotes, escaped for a Terraform string. */
function pieces(value: string): string[] {
  return quotedStrings(value).map((string) => hcl(string.slice(1, -1)))
}

interface Unit {
  /** One byte: a character of ASCII, or `\DDD`. */
  text: string
  isEscape: boolean
}

/** Splits into bytes; `\DDD` in the value is kept. */
function unitsOf(value: string): Unit[] {
  const parts = value.match(/\\\d{3}|[\s\S]/gu) ?? []
  return parts.flatMap((part): Unit[] => {
    if (/^\\(?:[01]\d\d|2[0-4]\d|25[0-5])$/.test(part)) return [{ text: part, isEscape: true }]
    if (/^[\0-\x7f]*$/.test(part)) return Array.from(part, (text) => ({ text, isEscape: false }))
    return Array.from(Buffer.from(part), (byte) => ({ text: byNumber(byte), isEscape: true }))
  })
}

function chunks(value: string): Unit[][] {
  const units = unitsOf(value)
  const count = Math.max(1, Math.ceil(units.length / maxBytes))
  return Array.from({ length: count }, (_, i) => units.slice(i * maxBytes, (i + 1) * maxBytes))
}

const numbered = (unit: string) => byNumber(unit.charCodeAt(0))
const byNumber = (byte: number) => `\\${String(byte).padStart(3, '0')}`

/** Inside a quoted string of HCL, where `${` and `%{` begin templates. */
function hcl(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('${', '$$$${')
    .replaceAll('%{', '%%{')
    .replaceAll(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A name for the resource, such as `docs_example_com_cname`. */
function label({ name, type }: PlainRecord): string {
  const text = `${name}_${type}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  return /^[a-z]/.test(text) ? text : `r_${text.replace(/^_+/, '')}`
}
