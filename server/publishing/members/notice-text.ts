// The text of mails about invitations to projects and offers of them: what happened, then where to answer.

export type NoticeKind = 'invited' | 'offered' | 'accepted' | 'declined'

interface NoticeFacts {
  kind: NoticeKind
  /** Of the reader; may be empty. */
  name: string
  /** Who caused it; null for an operator on the server. */
  actor: string | null
  project: string
  slug: string
  /** Of the invitation. */
  role: string | null
  expiresAt: number
  /** Without a slash at the end. */
  dashboard: string
}

export function noticeText(facts: NoticeFacts) {
  const { dashboard, name, project, slug } = facts
  const { lines, subject, why, isOpen } = contentOf(facts, facts.actor || 'An operator')
  const address = isOpen ? `${dashboard}/projects` : `${dashboard}/projects/${slug}`
  const paragraphs = [
    `Hello${name === '' ? '' : ` ${name}`},`,
    ...lines,
    isOpen ? `Accept or decline it until ${day(facts.expiresAt)}:\n${address}` : address,
    `You get this mail because ${why} ${project}.`,
  ]
  return { subject, text: `${paragraphs.join('\n\n')}\n` }
}

function contentOf({ kind, project, role }: NoticeFacts, actor: string) {
  switch (kind) {
    case 'invited':
      return {
        isOpen: true,
        subject: `Invitation to the project ${project}`,
        lines: [
          `${actor} invites you to the project ${project} as ${role === 'viewer' ? 'a viewer' : 'an editor'}. ${
            role === 'viewer'
              ? 'Viewers see its deploys, domains and analytics.'
              : 'Editors deploy, and change its domains and settings.'
          }`,
          'If you do not know the project, do nothing: the invitation expires.',
        ],
        why: 'your e-mail address was invited to',
      }
    case 'offered':
      return {
        isOpen: true,
        subject: `${project} is offered to you`,
        lines: [
          `${actor} offers you the project ${project}. If you accept, you own it with its domains, and the limits of your plan apply. The page says which domains your plan suspends.`,
        ],
        why: 'you are a member of',
      }
    case 'accepted':
      return {
        isOpen: false,
        subject: `${project} has a new owner`,
        lines: [
          `${actor} accepted the offer and owns ${project} now, with its domains. You are an editor of it.`,
        ],
        why: 'you owned the project',
      }
    case 'declined':
      return {
        isOpen: false,
        subject: `The offer of ${project} was declined`,
        lines: [`${actor} declined the offer. You still own ${project}.`],
        why: 'you own the project',
      }
  }
}

/** Such as `31 March 2027`. */
function day(time: number): string {
  return new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}
