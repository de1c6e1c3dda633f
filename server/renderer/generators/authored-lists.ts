// Navigation that its authors wrote as data, in the configuration of their generator: lists of pages, of groups with a title and
// what is in them, of folders whose pages are listed by themselves, and of addresses elsewhere. One walk reads all of them: the
// names of their fields differ from generator to generator, and none means something else in another.
import { joinPaths } from '../sources/addresses.ts'
import type { NavigationNode } from '../sources/generator.ts'
import { firstText, inside, recordOf, textOf } from '../sources/plain-values.ts'
import { isWeb, joinFolder } from './generator-folder.ts'

const maxDepth = 40

const names = {
  title: 'label text group tab anchor dropdown product item name title'.split(' '),
  address: 'href link url to id slug root'.split(' '),
  list: 'languages versions products tabs anchors dropdowns menu groups pages items'.split(' '),
}

interface ListForm {
  /** The folder of the deploy that its folders and pages are in. */
  folder: string
  /** Whether pages are named by their addresses, instead of their paths in the folder. */
  hasAddresses?: boolean
  /** Whether each entry is `title: page`, or `title: list`. */
  hasTitles?: boolean
  /** A value with what another file says in the place of it. */
  whole?(value: unknown): unknown
}

/** `base`: what addresses in it begin with. */
export function nodesOf(given: unknown, form: ListForm, base = '', depth = 0): NavigationNode[] {
  if (depth > maxDepth) return []
  const value = form.whole ? form.whole(given) : given
  const own = textOf(inside(value, 'base')) ?? base
  const inner = (each: unknown) => nodesOf(each, form, own, depth + 1)
  if (Array.isArray(value)) return value.flatMap(inner)
  if (typeof value === 'string') return [leadTo(value, form, base)]
  const fields = recordOf(value)
  const title = firstText(fields, ...names.title)
  const address = firstText(fields, ...names.address) ?? firstText(fields.link, 'id')
  const directory = firstText(fields, 'dirName') ?? firstText(fields.autogenerate, 'directory')
  const children = names.list.flatMap((name) => (name in fields ? inner(fields[name]) : []))
  if (form.hasTitles || (title ?? address ?? directory ?? children[0]) === undefined)
    return Object.entries(fields).flatMap(([title, each]) => {
      if (Array.isArray(each)) return [{ title, children: inner(each) }]
      return form.hasTitles ? inner(each).map((node) => ({ ...node, title })) : []
    })
  if (directory !== undefined) return [{ title, folder: joinFolder(form.folder, directory) }]
  const page = address === undefined ? {} : leadTo(address, form, own)
  if (children.length === 0) return [{ ...page, title }]
  // What has no name only holds others together.
  if (title !== undefined) return [{ ...page, title, children }]
  return address === undefined ? children : [page, ...children]
}

function leadTo(text: string, { folder, hasAddresses }: ListForm, base: string): NavigationNode {
  const path = text.replace(/#.*$/, '')
  if (isWeb(text)) return { to: text }
  if (hasAddresses) return { to: `/${base}${path}`.replaceAll(/\/+/g, '/') }
  if (path.startsWith('/')) return { to: path }
  return path.endsWith('/') ? { folder: joinFolder(folder, path) } : { to: joinPaths(folder, path) }
}
