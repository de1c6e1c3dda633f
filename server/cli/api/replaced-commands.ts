// What does the work of the commands that there were before api, in the words of the OpenAPI documents.

const webhooks = '/api/store/{environment}/webhooks'
const project = '/api/projects/{slug}'
const preview = `${project}/previews/{preview}`
const image = `${project}/site-images/{image}`
const settings = `${project}/site-settings`

/** Arguments of `animal-store api`; a parameter stands for the caller's value. */
export const replacedCommands: Record<string, string> = {
  'webhooks create': `POST ${webhooks} -f url=URL`,
  'webhooks list': `GET ${webhooks}`,
  'webhooks deliveries': `GET ${webhooks}/{webhookId}/deliveries`,
  'webhooks resend': `POST ${webhooks}/{webhookId}/deliveries/{eventId}/redeliver`,
  'webhooks test': `POST ${webhooks}/{webhookId}/test`,
  'webhooks disable': `PATCH ${webhooks}/{webhookId} -F disabled=true`,
  'webhooks enable': `PATCH ${webhooks}/{webhookId} -F disabled=false`,
  'webhooks rotate': `POST ${webhooks}/{webhookId}/rotate -F overlapSeconds=86400`,
  'webhooks remove': `DELETE ${webhooks}/{webhookId}`,
  'visibility show': `GET ${project}`,
  'transfer show': `GET ${project}/members`,
  'site-settings get': `GET ${settings}`,
  'site-settings set': `PUT ${settings} --input FILE`,
  'site-settings upload': `PUT ${image} -H Content-Type:application/octet-stream --input FILE`,
  'site-settings remove-upload': `DELETE ${image}`,
  'previews list': `GET ${project}/previews`,
  'previews promote': `POST ${preview}/promote`,
  'previews password': `PUT ${preview} -F password=@FILE`,
  'previews end': `DELETE ${preview}`,
}

/** Access tokens cannot change who has access, so that not even a leaked one lets others in. */
const dashboardPlaces: Record<string, string> = {
  'visibility set': 'Project settings, Site',
  'transfer offer': 'Project settings, Danger zone',
  'transfer cancel': 'Project settings, Danger zone',
  'transfer accept': 'Projects',
  'transfer decline': 'Projects',
}

/** What to use instead of a command that there was, or of a group of them. */
export function describeReplacement(words: string[]): string | undefined {
  const name = words.slice(0, 2).join(' ')
  const call = replacedCommands[name]
  if (call !== undefined) return `${name} is animal-store api ${call}`
  const place = dashboardPlaces[name]
  if (place !== undefined) return `${name} is in the dashboard only, under ${place}`
  const names = [...Object.keys(replacedCommands), ...Object.keys(dashboardPlaces)]
  const group = names.filter((other) => other.split(' ')[0] === words[0])
  return group.length > 0
    ? group.map((other) => describeReplacement(other.split(' '))).join('\n')
    : undefined
}
