// The values of a project's visibility.

export const visibilities = ['public', 'password', 'members'] as const
export type Visibility = (typeof visibilities)[number]

/** Of a row. A value that this version does not know shows the site to members only. */
export function toVisibility(text: string): Visibility {
  return visibilities.find((one) => one === text) ?? 'members'
}
