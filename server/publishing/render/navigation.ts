// The navigation of a site: a tree of titles, some of which lead to a page.

export interface NavigationItem {
  title: string
  /** Canonical path of a page's file, such as `guides/first.html`; a group may have none. */
  path?: string
  /** A word beside the title, such as GET, POST or Deprecated. */
  badge?: string
  children?: NavigationItem[]
}
